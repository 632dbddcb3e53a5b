/**
 * Everybody who may come to the service, and what there is for them: a season of sam's, one of sue's,
 * a private one, keys of the first two and of the platform. ada and bob own what Fixture.ts says.
 * `root` administers the platform.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as A from "./Administration.ts"
import { runnerSession } from "./Fleet.ts"

/** Names of seasons that the matrix uses; those of Fixture.ts are for reading. */
export const ours = "arena"
export const theirs = "elsewhere"
export const hidden = "hidden"
/** Open to all, for what each may do there only once. */
export const third = "third"

export interface Caller {
  readonly role: string
  /** Who calls, where it is somebody. */
  readonly account?: string
  /** A suspended account counts as nobody, and so does an ended session. */
  readonly locked?: true
  /** A runner's secret. */
  readonly key?: string
  /** Led there by a page of another origin. */
  readonly foreign?: true
}

export const nobody: Caller = { role: "nobody" }
export const session: Caller = { role: "any account", account: "eve" }
export const owner: Caller = { role: "the owner", account: "ada" }
const otherOwner: Caller = { role: "another owner", account: "bob" }
export const administrator: Caller = { role: "the season's administrator", account: "sam" }
export const otherAdministrator: Caller = { role: "another season's administrator", account: "sue" }
export const platform: Caller = { role: "the platform's administrator", account: "root" }
const suspended: Caller = { role: "a suspended account", account: "mal", locked: true }
const misled: Caller = { role: "the platform's administrator from another origin's page", account: "root", foreign: true }
const ended: Caller = { role: "an ended session", account: "gone", locked: true }

export interface Key {
  readonly secret: string
  /** A runner that has opened a session with it. */
  readonly runner: string
}

export class World extends Context.Service<
  World,
  {
    readonly season: string
    readonly keys: { readonly ours: Key; readonly theirs: Key; readonly platform: Key }
  }
>()("test/World") {}

/** Its leases are reviews, also where ladders are owed matches. */
export const aboutRunner = { ...runnerSession, slots: 16, accepts: ["admission"] }

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

export const openRunner = Effect.fnUntraced(function* (secret: string) {
  const opened = yield* A.ask("/v1/runner/sessions", { method: "POST", json: aboutRunner, headers: bearer(secret) })
  assert.strictEqual(opened.status, 201, opened.text)
  return opened.json.runner as string
})

const keyAt = Effect.fnUntraced(function* (path: string) {
  const { json } = yield* A.post(path, { name: "rack" })
  return { secret: json.key as string, runner: yield* openRunner(json.key) }
})

const accounts = Effect.gen(function* () {
  yield* A.rows`INSERT INTO account (id, username, display_name, created_at)
    SELECT gen_random_uuid(), name, name, '2026-01-01' FROM unnest(ARRAY['eve', 'sam', 'sue', 'pat', 'mal', 'gone']) name`
  yield* A.rows`INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
    SELECT gen_random_uuid(), id, sha256(convert_to(username || '-token', 'UTF8')), '2026-01-01', '2026-01-01',
      CASE username WHEN 'gone' THEN '2026-01-02'::timestamptz ELSE '2099-01-01' END
    FROM account WHERE username = ANY (ARRAY['eve', 'sam', 'sue', 'pat', 'mal', 'gone'])`
  yield* A.rows`UPDATE account SET suspended = true WHERE username = 'mal'`
})

const make = Effect.gen(function* () {
  yield* accounts
  const rules = { cooldown_s: 0, max_models_per_owner: 100 }
  const { id: season } = yield* A.season(ours, { admins: ["sam"], rules })
  yield* A.season(theirs, { admins: ["sue"], rules })
  yield* A.season(third, { rules })
  yield* A.season(hidden, { visibility: "private", admins: ["sam"] })
  yield* A.post(A.urlOf(hidden, "/participants"), { logins: ["Ada"] })
  return {
    season,
    keys: {
      ours: yield* keyAt(A.urlOf(ours, "/runner-keys")),
      theirs: yield* keyAt(A.urlOf(theirs, "/runner-keys")),
      platform: yield* keyAt("/v1/runner-keys")
    }
  }
})

export const layer = Layer.effect(World, make)

/** All of them; a runner's rights depend on whose its key is. */
export const callers = Effect.map(
  World,
  ({ keys }): ReadonlyArray<Caller> => [
    ...[nobody, session, owner, otherOwner, administrator, otherAdministrator, platform, misled, suspended, ended],
    { role: "the season's runner", key: keys.ours.secret },
    { role: "another season's runner", key: keys.theirs.secret },
    { role: "the platform's runner", key: keys.platform.secret },
    { role: "a runner with no key of ours", key: "agon_rk_none" }
  ]
)
