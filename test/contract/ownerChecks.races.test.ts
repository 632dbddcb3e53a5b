/**
 * Changes of an owner's right to take part while a submission, a sign-in or another node is
 * at work, on a real database.
 */
import { Accounts } from "@agon/server/account/Accounts.ts"
import type { Identity } from "@agon/server/account/signin/identity.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import { OwnerChecks } from "@agon/server/season/OwnerChecks.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { blocked, eventually } from "../support/eventually.ts"
import * as SmallWorld from "../support/SmallWorld.ts"

const { post, remove, rows } = A

const look = Effect.flatMap(OwnerChecks, (checks) => checks.look)
const checksLeft = Effect.map(rows`SELECT 1 FROM owner_check`, ({ length }) => length)
const asked = eventually(
  "no check is left",
  Effect.map(Effect.andThen(look, checksLeft), (left) => left === 0)
)
const stateOf = (version: string) =>
  Effect.map(
    rows<{ readonly status: string; readonly owner_removed: boolean }>`SELECT status, owner_removed FROM version WHERE id = ${version}`,
    ([row]) => row
  )

const hash = (digit: string) => `sha256:${digit.repeat(64)}`

/** A restricted season with a board and these logins on its roster. */
const restricted = Effect.fnUntraced(function* (slug: string, logins: ReadonlyArray<string>) {
  const { id, url } = yield* A.season(slug, { entry: "restricted", rules: { trial: { matches: 1 }, cooldown_s: 0 } })
  yield* SmallWorld.board(id, "duel")
  const { participants } = (yield* post(url("/participants"), { logins })).json
  yield* asked
  const removeLogin = (login: string) => remove(url("/participants"), { id: participants.find((row: any) => row.login === login).id })
  return { id, removeLogin, add: (login: string) => post(url("/participants"), { logins: [login] }) }
})

const accountOf = (username: string) =>
  Effect.map(rows<{ readonly id: string }>`SELECT id FROM account WHERE username = ${username}`, ([row]) => row!.id)

/** An account whose only identity is a login of its own. */
const newcomer = Effect.fnUntraced(function* (name: string) {
  yield* rows`INSERT INTO account (id, username, display_name, created_at) VALUES (gen_random_uuid(), ${name}, ${name}, now())`
  const owner = yield* accountOf(name)
  yield* rows`INSERT INTO identity (provider, subject, account_id, login, created_at) VALUES ('hub', ${name}, ${owner}::uuid, ${name}, now())`
  const [model] = yield* rows<{ readonly id: string }>`INSERT INTO model (id, game, owner_id, name, created_at)
    VALUES (gen_random_uuid(), 'snakes', ${owner}::uuid, ${name}, now()) RETURNING id`
  return { owner, model: model!.id }
})

/** The season's answer to a submission that was found eligible. */
const submit = (season_id: string, version: string, { model, owner }: { readonly model: string; readonly owner: string }, digit: string) =>
  A.tell(season_id, {
    ...{ _tag: "SubmitVersion", version, model, owner, number: 1, weights_hash: hash(digit), manifest_hash: hash("a"), note: null },
    ...{ eligible: true, retired: false, files: { weights_bytes: 1_000, manifest_bytes: 100 } }
  })

const versionId = Effect.map(rows<{ readonly id: string }>`SELECT gen_random_uuid() AS id`, ([row]) => row!.id)

const [KEY, TRIGGER] = ["20260034", "wait_before_logging"]
/** From now on a removal from a roster waits, with all but its log row written, where somebody holds the key. */
const logWaits = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`DO $do$ BEGIN
    CREATE OR REPLACE FUNCTION ${TRIGGER}() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_advisory_xact_lock(${KEY}); RETURN NEW; END $$;
    CREATE OR REPLACE TRIGGER ${TRIGGER} BEFORE INSERT ON audit FOR EACH ROW WHEN (NEW.action = 'participant.remove') EXECUTE FUNCTION ${TRIGGER}();
  END $do$`)
)

/** Runs a removal from a roster, and `meanwhile` when all of its transaction is done but the log row and the commit. */
const during = Effect.fnUntraced(function* <A, B, E, R, R2>(write: Effect.Effect<A, never, R>, meanwhile: Effect.Effect<B, E, R2>) {
  const sql = yield* SqlClient.SqlClient
  yield* logWaits
  const [held, letGo] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const holding = sql
    .unsafe(`SELECT pg_advisory_xact_lock(${KEY})`)
    .pipe(Effect.andThen(Deferred.succeed(held, undefined)), Effect.andThen(Deferred.await(letGo)), sql.withTransaction)
  const holder = yield* Effect.forkChild(holding)
  yield* Effect.raceFirst(Deferred.await(held), Fiber.join(holder))
  const writer = yield* Effect.forkChild(write)
  yield* blocked(1)
  const found = yield* Effect.ensuring(meanwhile, Deferred.succeed(letGo, undefined))
  yield* Fiber.join(holder)
  return [yield* Fiber.join(writer), found] as const
})

const waiting = rows`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

/** Signs in as a provider says that somebody is, or links that to the account of the session. */
const signInAs = (identity: Identity, session_token = "") => {
  const provider = {
    ...{ slug: identity.provider, label: identity.provider, this_machine_only: false },
    begin: (_: string, { state }: { readonly state: string }) => Effect.succeed(new URL(`https://hub.example/?state=${state}`)),
    complete: () => Effect.succeed(identity)
  }
  const signing = Effect.gen(function* () {
    const { begin, complete } = yield* SignIn
    const { cookie, location } = yield* begin(identity.provider, { return_to: undefined, session_token, from_elsewhere: false })
    const callback = { url: new URL(location), state_cookie: cookie, session_token, user_agent: undefined }
    return yield* complete({ provider: identity.provider, ...callback })
  })
  const providers = Layer.succeed(Providers, { list: [provider], bySlug: () => provider } as unknown as Providers["Service"])
  const services = SignIn.layer({ secret: "state", admin: undefined }).pipe(
    Layer.provide(providers),
    Layer.provide(Layer.effect(Accounts, Accounts))
  )
  return Effect.orDie(Effect.provide(signing, services))
}

layer(A.layer, A.options)("an owner who is taken off a roster", (it) => {
  it.effect("before the submission commits, and after it was found eligible, does not keep the version in play", () =>
    Effect.gen(function* () {
      const who = yield* newcomer("carl")
      const { id, removeLogin } = yield* restricted("held", ["carl"])
      const version = yield* versionId
      const [removed, reply] = yield* during(removeLogin("carl"), submit(id, version, who, "1"))
      assert.deepInclude(reply, { fresh: true })
      assert.strictEqual(removed.status, 200)
      yield* asked
      assert.deepStrictEqual(yield* stateOf(version), { status: "testing", owner_removed: true })
      yield* SmallWorld.review(id, true)
      while ((yield* SmallWorld.play(id)) !== undefined);
      assert.notStrictEqual((yield* stateOf(version))?.status, "entered")
    })
  )

  it.effect("before the season takes a submission that was found eligible, is refused by it", () =>
    Effect.gen(function* () {
      const who = yield* newcomer("dora")
      const { add, id, removeLogin } = yield* restricted("late", ["dora"])
      yield* removeLogin("dora")
      yield* asked
      const version = yield* versionId
      assert.deepStrictEqual(yield* submit(id, version, who, "2"), { refused: [{ code: "not_eligible" }] })
      yield* add("dora")
      assert.deepInclude(yield* submit(id, version, who, "2"), { fresh: true })
    })
  )
})

layer(A.layer, A.options)("an owner whose login changes at its provider", (it) => {
  const isOut = (version: string, out: boolean) =>
    Effect.gen(function* () {
      yield* asked
      assert.deepStrictEqual(yield* stateOf(version), { status: out ? "disqualified" : "entered", owner_removed: out })
    })

  it.effect("keeps no right that the old login had, and gets one that the new login has, at the next sign-in", () =>
    Effect.gen(function* () {
      const { boa, one } = yield* SmallWorld.world
      yield* rows`UPDATE season SET entry = 'restricted' WHERE id = ${one.id}`
      yield* post(A.urlOf("one", "/participants"), { logins: ["Ada", "Bob"] })
      yield* asked
      const bob = (login: string) => signInAs({ provider: "hub", subject: "bob", login, name: undefined, email: undefined })
      yield* bob("Bob")
      assert.strictEqual(yield* checksLeft, 0, "nothing has changed")
      yield* bob("Bobby")
      yield* isOut(boa.version, true)
      yield* bob("Bob")
      yield* isOut(boa.version, false)

      // The new login is taken off in a transaction that has begun before the sign-in.
      const { participants } = (yield* post(A.urlOf("one", "/participants"), { logins: ["Bobby"] })).json
      const taken = remove(A.urlOf("one", "/participants"), { id: participants[0].id })
      const [, signing] = yield* during(
        taken,
        Effect.gen(function* () {
          const signing = yield* Effect.forkChild(bob("Bobby"))
          const signed = Effect.sync(() => signing.pollUnsafe() !== undefined)
          const waits = Effect.map(waiting, ({ length }) => length > 1) // beside the removal
          yield* eventually(
            "the sign-in is over or waits",
            Effect.map(Effect.all([signed, waits]), ([over, waits]) => over || waits)
          )
          yield* look
          return signing
        })
      )
      yield* Fiber.join(signing)
      yield* isOut(boa.version, true)
    })
  )

  it.effect("gets the right of one that is linked beside it", () =>
    Effect.gen(function* () {
      const [entry] = yield* rows<{
        readonly id: string
      }>`SELECT v.id FROM version v JOIN model m ON m.id = v.model_id WHERE m.name = 'Boa'`
      yield* isOut(entry!.id, true)
      yield* post(A.urlOf("one", "/participants"), { logins: ["Robert"] })
      const known = { provider: "hub", name: undefined, email: undefined }
      const { token } = yield* signInAs({ ...known, subject: "bob", login: "Bobby" })
      yield* signInAs({ ...known, subject: "robert", login: "Robert" }, token)
      yield* isOut(entry!.id, false)
    })
  )

  it.effect("and who is suspended and let in again, is not removed by a node that learned of it first and speaks last", () =>
    Effect.gen(function* () {
      const [entry] = yield* rows<{ readonly id: string; readonly status: string }>`
        SELECT v.id, v.status FROM version v JOIN model m ON m.id = v.model_id WHERE m.name = 'Adder'`
      assert.strictEqual(entry!.status, "entered")
      const actors = yield* SeasonActors
      const [reached, speak] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const spoken = yield* Deferred.make<void>()
      // Sends its command late, and dies before the answer.
      const slow = SeasonActors.of({
        ...actors,
        ask: ((season: string, command: any) =>
          Deferred.succeed(reached, undefined).pipe(
            Effect.andThen(Deferred.await(speak)),
            Effect.andThen(actors.ask(season, command)),
            Effect.andThen(Deferred.succeed(spoken, undefined)),
            Effect.andThen(Effect.never)
          )) as any
      })
      const { owner_id } = (yield* rows<{ readonly owner_id: string }>`SELECT owner_id FROM version WHERE id = ${entry!.id}`)[0]!
      const write = (suspended: string) => rows`WITH a AS (UPDATE account SET suspended = ${suspended}::boolean WHERE id = ${owner_id})
        INSERT INTO owner_check (id, season_id, account_id) SELECT gen_random_uuid(), season_id, ${owner_id}::uuid FROM version WHERE id = ${entry!.id}`
      const node = yield* Layer.build(Layer.fresh(OwnerChecks.layer)).pipe(Effect.provideService(SeasonActors, slow))
      yield* write("true")
      const looking = yield* Effect.forkChild(Effect.flatMap(OwnerChecks, (checks) => checks.look).pipe(Effect.provideContext(node)))
      yield* Deferred.await(reached)
      yield* write("false")
      yield* asked
      yield* Deferred.succeed(speak, undefined)
      yield* Deferred.await(spoken)
      yield* Fiber.interrupt(looking)
      assert.deepStrictEqual(yield* stateOf(entry!.id), { status: "entered", owner_removed: false })
    })
  )
})
