/**
 * Signing a device in (docs/contract.md#signing-in-a-device): begin makes two codes, a person decides by the
 * short one, and the device asks by the long one until it gets a session.
 *
 * Only hashes of the codes are stored. The long one has 256 random bits. The short one has 34: it names a
 * sign-in to somebody who is signed in already, gives nothing by itself, and may be tried wrongly five times
 * a minute by an account. Both end after ten minutes, when the device has its session, or with a refusal; an
 * approval also ends with the session that made it, as a suspension ends it. Everything is decided under row locks, so
 * nodes agree: the account's before that of the sign-in.
 */
import { randomBytes, randomInt } from "node:crypto"
import type { SignedIn } from "@agon/api/Authorization.ts"
import { AccessDenied, AuthorizationPending, type DeviceSignIn, ExpiredToken, SlowDown } from "@agon/api/account/device.ts"
import { NotFound, Unavailable } from "@agon/api/Problem.ts"
import { Context, Data, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SharedClock } from "../../database/SharedClock.ts"
import { Accounts, later, sha256 } from "../Accounts.ts"
import { makeQueries } from "./deviceQueries.ts"

export const EXPIRES_S = 600
export const INTERVAL_S = 5
/** Added to the interval of a device each time it asks too soon, up to the largest interval. */
const SLOWER_S = 5
const INTERVAL_MAX_S = 60
/** A device that keeps the interval may arrive so much earlier, since its requests take different times. */
const EARLY_MS = 1_000
/**
 * Live sign-ins of everybody: 3 MB. Strangers who fill the table keep others from
 * beginning, and nothing else grows.
 */
const LIVE_MAX = 10_000
/** Live sign-ins of one address, behind which may be a whole university. */
export const ADDRESS_MAX = 50
/** Expired sign-ins deleted at each beginning; more than one, so that in the end only live ones remain. */
const PRUNED_AT_ONCE = 20
const WRONG_TRIES_MAX = 5
const WRONG_TRIES_MS = 60_000

/** No vowels, so that no code is a word (RFC 8628, section 6.1), and nothing that looks like a digit. */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
const LETTERS_OF_A_CODE = 8
/** A taken code is as likely as one in two million where the table is full. */
const CODE_TRIES = 5

/** The account, or the address, has to wait so long. */
export class TooMany extends Data.TaggedError("TooMany")<{ readonly retry_after_ms: number }> {}

export interface Begun {
  readonly device_code: string
  readonly user_code: string
}

type Unfinished = AuthorizationPending | SlowDown | AccessDenied | ExpiredToken

export class DeviceSignIns extends Context.Service<
  DeviceSignIns,
  {
    readonly begin: (client_name: string, address: string) => Effect.Effect<Begun, TooMany | Unavailable>
    /** The account that approved, and the token of a new session, listed under the device's name. */
    readonly complete: (device_code: string) => Effect.Effect<{ readonly account_id: string; readonly token: string }, Unfinished>
    /** The sign-in of a code that a person has typed. */
    readonly named: (account: SignedIn, user_code: string) => Effect.Effect<DeviceSignIn, NotFound | TooMany>
    readonly decide: (account: SignedIn, user_code: string, approve: boolean) => Effect.Effect<DeviceSignIn, NotFound | TooMany>
  }
>()("agon/DeviceSignIns") {
  static readonly layer: Layer.Layer<DeviceSignIns, never, Accounts | SqlClient.SqlClient> = Layer.effect(
    DeviceSignIns,
    Effect.suspend(() => makeDeviceSignIns)
  ).pipe(Layer.provide(SharedClock.layer))
}

const newUserCode = () => Array.from({ length: LETTERS_OF_A_CODE }, () => LETTERS[randomInt(LETTERS.length)]).join("")
/** As people read it out: two groups of four. */
const shownCode = (code: string) => `${code.slice(0, LETTERS_OF_A_CODE / 2)}-${code.slice(LETTERS_OF_A_CODE / 2)}`
/** As people type it: in any case, with spaces and hyphens anywhere. */
const typedCode = (text: string) => text.toUpperCase().replace(/[\s\p{Pd}]/gu, "")

type Queries = Effect.Success<typeof makeQueries>

const makeBegin =
  (queries: Queries, shared: SharedClock["Service"], sql: SqlClient.SqlClient): DeviceSignIns["Service"]["begin"] =>
  (client_name, address) =>
    Effect.gen(function* () {
      const at = yield* shared.now
      const device_code = randomBytes(32).toString("base64url")
      for (let tried = 0; tried < CODE_TRIES; tried++) {
        const code = newUserCode()
        const beginning = queries.begin({
          ...{ device_code_sha256: sha256(device_code), user_code_sha256: sha256(code), address_sha256: sha256(address) },
          ...{ client_name, now: at, expires_at: later(at, EXPIRES_S * 1000), interval_s: INTERVAL_S },
          ...{ live_max: LIVE_MAX, address_max: ADDRESS_MAX, pruned: PRUNED_AT_ONCE }
        })
        const inTurn = sql.withTransaction(Effect.andThen(queries.lockAddress(address), beginning))
        const { added, first_ends_at, live, of_address } = yield* Effect.orDie(inTurn)
        if (added) return { device_code, user_code: shownCode(code) }
        if (of_address >= ADDRESS_MAX) return yield* new TooMany({ retry_after_ms: first_ends_at!.getTime() - at.getTime() })
        if (live >= LIVE_MAX) break
      }
      return yield* new Unavailable({ detail: "Too many devices are being signed in just now; try again in a few minutes." })
    })

interface Approved {
  readonly account: { readonly id: string; readonly suspended: boolean }
  readonly client_name: string
  /** The session that approved. */
  readonly session_id: string
}

const pending = new AuthorizationPending({ detail: "Nobody has approved the code yet." })
const refused = new AccessDenied({ detail: "The sign-in was refused on the site, or the session that approved it has ended." })

const makeComplete = Effect.fnUntraced(function* (queries: Queries) {
  const accounts = yield* Accounts
  const shared = yield* SharedClock
  const sql = yield* SqlClient.SqlClient

  const enter = Effect.fnUntraced(function* (device_code_sha256: Uint8Array, { account, client_name, session_id }: Approved) {
    const { there } = yield* queries.isThere(session_id)
    yield* queries.end(device_code_sha256)
    if (account.suspended) return new AccessDenied({ detail: "The account is suspended." })
    if (!there) return refused
    return { account_id: account.id, token: yield* accounts.openSession(account.id, client_name) }
  })

  /** A refusal is an answer here, since a failure would roll back what is written about it. */
  const ask = Effect.fnUntraced(function* (device_code_sha256: Uint8Array) {
    const now = yield* shared.now // the device may have asked another node before
    const account = Option.getOrUndefined(yield* queries.holdDecider(device_code_sha256))
    const found = yield* queries.waiting({ device_code_sha256, now })
    if (Option.isNone(found)) return new ExpiredToken({ detail: "The code is over or was used; sign in again." })
    const { asked_at, client_name, interval_s, session_id, state } = found.value
    const early = asked_at !== null && now.getTime() < asked_at.getTime() + interval_s * 1000 - EARLY_MS
    const slower_s = Math.min(interval_s + SLOWER_S, INTERVAL_MAX_S)
    yield* queries.asked({ device_code_sha256, now, interval_s: early ? slower_s : interval_s })
    if (early) return new SlowDown({ detail: `Ask every ${slower_s} s from now on.` })
    if (state === "denied") return refused
    // Somebody who approves in this moment has an account that is not locked: the device asks again.
    if (account === undefined || session_id === null) return pending
    return yield* enter(device_code_sha256, { account, client_name, session_id })
  })

  return Effect.fn("DeviceSignIns.complete")(function* (device_code: string) {
    const said = yield* Effect.orDie(sql.withTransaction(ask(sha256(device_code))))
    if (!("token" in said)) return yield* said
    yield* accounts.sweepSessions
    return said
  })
})

/** Reads or decides the sign-in of a code that was typed. A code that names none counts against the account. */
const makeTyped = Effect.fnUntraced(function* (queries: Queries) {
  const shared = yield* SharedClock
  const sql = yield* SqlClient.SqlClient

  type Asked = { readonly user_code_sha256: Uint8Array; readonly account_id: string; readonly session_id: string; readonly now: Date }
  const typed = <E>(find: (asked: Asked) => Effect.Effect<Option.Option<DeviceSignIn>, E>) =>
    Effect.fnUntraced(function* ({ id: account_id, session_id }: SignedIn, user_code: string) {
      const at = yield* shared.now
      const { wrong_at } = yield* queries.tries({ account_id, since: later(at, -WRONG_TRIES_MS) })
      const oldest = wrong_at.at(-WRONG_TRIES_MAX)
      if (oldest !== undefined) return new TooMany({ retry_after_ms: oldest.getTime() + WRONG_TRIES_MS - at.getTime() })
      const found = yield* find({ user_code_sha256: sha256(typedCode(user_code)), account_id, session_id, now: at })
      if (Option.isSome(found)) return found.value
      yield* queries.countWrong({ account_id, now: at })
      return new NotFound({ detail: "No device shows this code, or its ten minutes are over." })
    })

  const counted = Effect.fnUntraced(function* <E, E2>(said: Effect.Effect<DeviceSignIn | NotFound | TooMany, E | E2, never>) {
    const answer = yield* Effect.orDie(sql.withTransaction(said))
    return answer instanceof NotFound || answer instanceof TooMany ? yield* answer : answer
  })

  const named: DeviceSignIns["Service"]["named"] = (account, user_code) => counted(typed(queries.named)(account, user_code))
  const decide: DeviceSignIns["Service"]["decide"] = (account, user_code, approve) =>
    counted(typed((asked) => queries.decide({ ...asked, approve }))(account, user_code))
  return { named, decide }
})

const makeDeviceSignIns = Effect.gen(function* () {
  const queries = yield* makeQueries
  const begin = makeBegin(queries, yield* SharedClock, yield* SqlClient.SqlClient)
  return { begin, complete: yield* makeComplete(queries), ...(yield* makeTyped(queries)) }
})
