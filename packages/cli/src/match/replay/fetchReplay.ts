/**
 * A match of a service with its replay, whose bytes are those that the service has named: the name of a
 * stored replay ends with the SHA-256 of its bytes.
 */
import type { MatchDetail } from "@agon/api/match/Match.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { REPLAY_BYTES_MAX } from "@agon/engine/replay/parseReplay.ts"
import { sha256Hex } from "@agon/engine/sha256.ts"
import { Effect, Option, Schedule, Stream } from "effect"
import { HttpClient } from "effect/http"
import { CouldNotRun } from "../../Answer.ts"
import { addressOf, connectAsKept, saying } from "../../Service.ts"

export interface Fetched {
  readonly url: string
  readonly match: MatchDetail
  readonly bytes: Uint8Array
  /** 64 hex digits. */
  readonly sha256: string
}

const TIMEOUT = "1 minute"
const TRIES = 3

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const PAGE = /^(https?:\/\/[^/]+)((?:\/private|\/me)?\/matches)\/([^/?#]+)/

/** The id of a match, or the address of its page, which tells the service too; `pages` is the path of the page before the id. */
export const readMatch = Effect.fnUntraced(function* (text: string, flag: Option.Option<string>) {
  const [, origin, pages, onPage] = PAGE.exec(text) ?? []
  const id = (onPage ?? text).toLowerCase()
  if (!UUID.test(id)) return yield* new CouldNotRun({ message: `${text} is neither the id of a match nor the address of its page.` })
  return { id, url: yield* addressOf(origin === undefined ? flag : Option.some(origin)), pages }
})

export const isMatch = (text: string): boolean => UUID.test(text.toLowerCase()) || PAGE.test(text)

/**
 * The match, and the path of its page before the id. Without a session of this service only counted matches of public seasons are found.
 * With one, counted matches of the private seasons that its account may see are found too, and every match in which it has a seat, such as
 * a trial.
 */
const find = Effect.fnUntraced(function* (url: string, id: string) {
  const { client, isSignedIn } = yield* connectAsKept(url)
  const { match, ownMatch, privateMatch } = client.match
  const request = { params: { id } }
  const inPublic = at("/matches", match(request))
  if (!isSignedIn) return yield* inPublic
  return yield* Effect.catchTag(inPublic, "not_found", (unknown) =>
    at("/private/matches", privateMatch(request)).pipe(
      Effect.catchTag("not_found", () => at("/me/matches", ownMatch(request))),
      Effect.catchTag("not_found", () => Effect.fail(unknown))
    )
  )
})

const at = <E, R>(pages: string, asked: Effect.Effect<MatchDetail, E, R>) => Effect.map(retryRefused(asked), (match) => ({ match, pages }))

/** The address of the match's page. With no session of this service nobody is asked which of its pages that is. */
export const pageOf = Effect.fnUntraced(function* (url: string, id: string) {
  const { isSignedIn } = yield* connectAsKept(url)
  const { pages } = isSignedIn ? yield* saying(url)(find(url, id)) : { pages: "/matches" }
  return `${url}${pages}/${id}`
})

const readBytes = (address: string) =>
  Effect.gen(function* () {
    const response = yield* HttpClient.get(address)
    if (response.status !== 200) return yield* new CouldNotRun({ message: `The replay cannot be fetched: status ${response.status}.` })
    const parts: Array<Uint8Array> = []
    let length = 0
    yield* Stream.runForEach(response.stream, (part) => {
      parts.push(part)
      length += part.length
      return length > REPLAY_BYTES_MAX
        ? Effect.fail(new CouldNotRun({ message: `The replay is larger than ${REPLAY_BYTES_MAX} bytes.` }))
        : Effect.void
    })
    return new Uint8Array(Buffer.concat(parts))
  }).pipe(
    Effect.timeout(TIMEOUT),
    Effect.retry({
      schedule: Schedule.upTo(Schedule.exponential("500 millis"), { times: TRIES - 1 }),
      while: (error) => !(error instanceof CouldNotRun)
    })
  )

const whyNone = ({ id, replay_removed_at, status }: MatchDetail): string =>
  replay_removed_at === undefined
    ? `Match ${id} has no replay; it is ${status}.`
    : `The replay of match ${id} is no longer kept: the service removed it at ${replay_removed_at}, for its age.`

export const fetchReplay = Effect.fnUntraced(function* (url: string, id: string) {
  const { match } = yield* saying(url)(find(url, id))
  if (match.replay_url === undefined) return yield* new CouldNotRun({ message: whyNone(match) })
  const address = new URL(match.replay_url, url)
  const bytes = yield* saying(url)(readBytes(address.href))
  const sha256 = sha256Hex(bytes)
  const [, named] = /\.([0-9a-f]{64})$/.exec(address.pathname) ?? []
  if (named !== undefined && named !== sha256)
    return yield* new CouldNotRun({ message: `The replay is not the one that the service has named: its hash is ${sha256}, not ${named}.` })
  return { url, match, bytes, sha256 } satisfies Fetched
})
