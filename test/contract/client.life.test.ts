/**
 * A competitor's life through the typed client: over a socket, against the whole service, with
 * models that a runner really plays.
 */

import { join } from "node:path"
import { type Client, makeClient, sessionOf } from "@agon/api/Client.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { Submitted, SubmittedBefore } from "@agon/api/submission/api.ts"
import { sendFiles } from "@agon/api/submission/sendFiles.ts"
import { verify } from "@agon/engine/replay/verify.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { layer as arena, autumn, filesOf, game, hashesOf, spring } from "../support/Arena.ts"
import { Browser, signIn } from "../support/Browser.ts"
import { untilAnswer } from "../support/eventually.ts"
import { generators, liveWith } from "../support/Generators.ts"
import { Service } from "../support/Service.ts"
import { sample } from "../support/slow.ts"

/** A signed-in visitor as a website's backend knows them: the headers of the browser's requests. */
const visiting = Effect.fnUntraced(function* (login: string) {
  const { origin } = yield* Service
  const browser = new Browser()
  const end = yield* Effect.promise(() => signIn(browser, origin, login, "?return_to=/snakes"))
  assert.strictEqual(end.headers.get("location"), "/snakes")
  const cookie = `theme=dark; service_session=${browser.cookie(origin, "service_session")}`
  assert.isString(sessionOf(cookie))
  return { headers: { cookie, origin, "sec-fetch-site": "same-origin" } }
})

const settled = (client: Client, id: string) =>
  untilAnswer("the end of admission", client.version.ownVersion({ params: { id } }), ({ status }) => status !== "testing")

/** From the hashes to the ladder: submitted, submitted again, uploaded, admitted, tried, entered. */
const enter = Effect.fnUntraced(function* (client: Client, model: string, like: string) {
  const files = filesOf(like)
  const payload = { game, season: spring.slug, model, ...hashesOf(files), note: `like ${like}` }
  const submitted = yield* retryRefused(client.submission.submit({ payload }))
  assert.isTrue(submitted instanceof Submitted)
  const again = yield* retryRefused(client.submission.submit({ payload }))
  assert.isTrue(again instanceof SubmittedBefore && again.version_id === submitted.version_id)
  const early = yield* client.submission.preflight({ params: { game }, query: { model, season: spring.slug } })
  assert.deepInclude(early.refusals[0], { code: "candidate_in_flight" })
  yield* sendFiles(submitted.upload, files)
  const version = yield* settled(client, submitted.version_id)
  assert.deepInclude(version, { status: "entered", phase: null, reject_reason: null, note: `like ${like}` })
  assert.deepInclude(version.trial, { played: 1, failed: 0 })
  return version
})

/** The version is on the ladder; its latest counted match, with a replay that the rules agree with. */
const watch = Effect.fnUntraced(function* (client: Client, version: string) {
  const board = yield* untilAnswer(
    "a match on the ladder",
    client.leaderboard.leaderboard({ params: { game }, query: { season: spring.slug, ladder: "open", ...firstPage() } }),
    ({ entries }) => entries.some(({ matches, version_id }) => version_id === version && matches > 0)
  )
  const row = board.entries.find(({ version_id }) => version_id === version)!
  assert.deepInclude(row, { model: "anaconda", owner: "ada", version: 1, provisional: true })
  const { matches } = yield* client.match.matches({ query: { version, sort: "newest", ...firstPage() } })
  const match = yield* client.match.match({ params: { id: matches.find(({ is_trial }) => !is_trial)!.id } })
  const verdict = verify(JSON.parse(yield* Effect.flatMap(HttpClient.get(match.replay_url!), ({ text }) => text)))
  if (!verdict.ok) return assert.fail(JSON.stringify(verdict))
  assert.deepStrictEqual(
    [match.turns, match.reason, match.seats.map(({ rank }) => rank)],
    [verdict.turns, verdict.reason, [...verdict.ranks]]
  )
  assert.strictEqual((yield* client.match.frame({ params: { id: match.id } })).turn, match.turns)
  return match.id
})

/** The versions' changes in their order, each told once; and that it has been read. */
const hear = Effect.fnUntraced(function* (client: Client, [first, second, third]: ReadonlyArray<string>) {
  const { notifications, total } = yield* client.notification.notifications({ query: firstPage() })
  const entering = [first, second, third].flatMap((id) => [`version_admitted ${id}`, `version_entered ${id}`])
  assert.sameMembers(
    notifications.map(({ kind, link }) => `${kind} ${link?.split("/").at(-1)}`),
    [...entering, `version_superseded ${first}`]
  )
  const superseded = notifications.find(({ kind }) => kind === "version_superseded")!
  assert.strictEqual(superseded.subject, "Version 1 of anaconda was superseded by version 2 in The spring")
  assert.deepStrictEqual(yield* client.notification.markRead({ payload: { all: true } }), { read: total })
})

/** Each has a model that no other has entered. */
const others = [
  { username: "grace", like: "wary" },
  { username: "linus", like: "roomy" },
  { username: "edsger", like: "settler" },
  { username: "barbara", like: "careless" }
]

layer(arena, { excludeTestServices: true })("the typed client", (it) => {
  it.effect("takes a competitor from sign-in through two versions and two seasons to sign-out", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service
      const nobody = yield* makeClient(origin)
      const ada = yield* makeClient(origin, { visit: yield* visiting("ada") })
      assert.deepStrictEqual((yield* ada.account.me()).identities, [{ provider: "dev", login: "ada" }])

      const model = yield* ada.model.createModel({ params: { game }, payload: { name: "anaconda" } })
      const preflight = yield* ada.submission.preflight({ params: { game }, query: { model: model.id, season: spring.slug } })
      assert.deepStrictEqual([preflight.refusals, preflight.versions.held, preflight.open], [[], 0, true])
      const first = yield* enter(ada, model.id, "nibbler")
      const match = yield* watch(nobody, first.version_id)
      const own = yield* ada.match.ownMatch({ params: { id: match } })
      assert.deepStrictEqual(own.seats.map(({ mine }) => mine).sort(), [false, true])

      const byFirst = { params: { id: first.version_id } }
      yield* retryRefused(ada.version.editVersion({ ...byFirst, payload: { note: "my first" } }))
      assert.strictEqual((yield* nobody.version.version(byFirst)).note, "my first")
      const second = yield* enter(ada, model.id, "sniffer")
      assert.deepInclude(yield* nobody.version.version(byFirst), { status: "superseded", successor: 2 })

      const payload = { game, model: model.id, from: spring.slug, season: autumn.slug }
      const reentered = yield* retryRefused(ada.submission.reenter({ payload }))
      assert.deepInclude(reentered, { status: "testing", season: autumn.slug, weights_hash: second.weights_hash })
      assert.deepInclude(yield* settled(ada, reentered.version_id), { status: "entered", season: autumn.slug })
      const { versions } = (yield* nobody.model.model({ params: { id: model.id } }))!
      assert.deepStrictEqual(
        versions.map(({ season, status, version }) => `${season} ${version} ${status}`),
        ["autumn 3 entered", "spring 2 entered", "spring 1 superseded"]
      )
      yield* hear(
        ada,
        versions.toReversed().map(({ version_id }) => version_id)
      )

      yield* retryRefused(ada.account.signOut())
      assert.strictEqual((yield* Effect.flip(ada.account.me()))._tag, "unauthenticated")
    })
  )

  for (const [i, generator] of sample(generators).entries()) {
    it.effect(`is not needed: the client that ${generator.name} makes of /openapi.json compiles and lives as well`, () =>
      Effect.gen(function* () {
        const { directory, origin } = yield* Service
        const { like, username } = others[i]!
        const { headers } = yield* visiting(username)
        const competitor = { username, session: sessionOf(headers.cookie)!, ...filesOf(like) }
        yield* Effect.promise(() => liveWith(generator, origin, join(directory, `generated-${i}`), competitor))
      })
    )
  }

  it.effect("on a website's backend lets no page of another origin write for a visitor", () =>
    Effect.gen(function* () {
      const { headers } = yield* visiting("mallory")
      const client = yield* makeClient((yield* Service).origin, { visit: { headers: { ...headers, "sec-fetch-site": "cross-site" } } })
      assert.strictEqual((yield* Effect.flip(client.account.editMe({ payload: { bio: "forged" } })))._tag, "cross_origin")
      assert.strictEqual((yield* client.account.me()).bio, "")
    })
  )
})
