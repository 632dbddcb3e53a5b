/**
 * Keys of runners. The secret is answered once, when the key is made; only its SHA-256 is stored. A key of a season
 * serves that season alone; a key without a season belongs to the platform's fleet.
 */

import { hash, randomBytes } from "node:crypto"
import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import type { Key, Keys, NewKey, Runner, Runners } from "@agon/api/runner/api.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Context, DateTime, Effect, Layer, Option, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import type { Refused } from "../../actor/Mailbox.ts"
import { makeOpenSeasonsRead, type OpenSeason } from "../../actor/OpenSeasons.ts"
import { SeasonActors } from "../../actor/SeasonActors.ts"
import { newId } from "../../database/newId.ts"
import { storableText } from "../../database/storable.ts"
import { gathered } from "../../http/gathered.ts"
import { makeQueries as makeRunnerQueries, type RunnerRow } from "../queries.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import { makeQueries as makeAuditQueries } from "../work/replayAuditQueries.ts"
import { makeQueries } from "./keyQueries.ts"

const PREFIX_CHARACTERS = 12
/** Retries while a season wakes or reloads. */
const askedAgain = {
  schedule: Schedule.upTo(Schedule.spaced("50 millis"), { duration: "5 seconds" }),
  while: ({ _tag }: Refused) => _tag === "Unavailable"
}
const secretHash = (secret: string) => hash("sha256", secret, "buffer")

export class RunnerKeys extends Context.Service<
  RunnerKeys,
  {
    /** By the whole secret; none for a key that is not in force (makersKeysLayer.ts). */
    readonly byKey: (secret: string) => Effect.Effect<Option.Option<KeyOfRunner>>
    readonly create: (name: string, season_id: string | null, created_by: string) => Effect.Effect<NewKey>
    /**
     * The id of the key of the runner beside the service; its secret is made elsewhere and stays the
     * same. None once it was revoked.
     */
    readonly own: (name: string, secret: string) => Effect.Effect<Option.Option<string>>
    readonly list: (season_id: string | null, page: PageOf) => Effect.Effect<Keys>
    readonly get: (id: string, season_id: string | null) => Effect.Effect<Key, NotFound>
    /**
     * Ends the key and its runners, in the rows alone and in the caller's transaction; the caller then returns its leases.
     * `fresh`: it was in force until now.
     */
    readonly end: (id: string, season_id: string | null) => Effect.Effect<{ readonly key: Key; readonly fresh: boolean }, NotFound>
    /**
     * Returns the leases of this key's runners to the queues of the open seasons at once; a season that is moving is
     * retried for 5 s. Where the key has ended, requests made earlier under it get no more work.
     */
    readonly returnLeases: (id: string, key: "ended" | "stays") => Effect.Effect<void>
    readonly runners: (season_id: string | null, page: PageOf) => Effect.Effect<Runners>
    /** Gives this runner no new lease; it finishes its current work. `fresh`: it was active until now. */
    readonly drain: (id: string, season_id: string | null) => Effect.Effect<{ readonly runner: Runner; readonly fresh: boolean }, NotFound>
  }
>()("agon/RunnerKeys") {
  static readonly layer: Layer.Layer<RunnerKeys, never, SqlClient.SqlClient | SeasonActors> = Layer.effect(
    RunnerKeys,
    Effect.suspend(() => makeRunnerKeys)
  )
}

const makeRunnerKeys = Effect.gen(function* () {
  const queries = yield* makeQueries
  const ofRunners = yield* makeRunnerQueries
  const known = yield* KnownRuntimes
  const shown = (runner: RunnerRow): Runner => ({ ...runner, runtime_known: known.has(runner.runtime_version) })
  const returnLeases = yield* makeReturnLeases

  const inForce = yield* gathered((hashes) =>
    Effect.map(Effect.orDie(queries.bySecrets(hashes)), (rows) => new Map(rows.map(({ key_sha256, ...key }) => [key_sha256, key])))
  )
  const byKey = (secret: string) => Effect.map(inForce(`\\x${hash("sha256", secret)}`), Option.fromUndefinedOr)

  const withRunners = Effect.fnUntraced(function* (keys: ReadonlyArray<Omit<Key, "runners">>) {
    const runners = keys.length === 0 ? [] : yield* ofRunners.ofKeys(keys.map(({ id }) => id))
    return keys.map((key) => ({ ...key, runners: runners.filter(({ key_id }) => key_id === key.id).map(shown) }))
  })

  const add = Effect.fnUntraced(function* (said: string, secret: string, season_id: string | null, created_by: string | null) {
    const id = yield* newId
    const prefix = secret.slice(0, PREFIX_CHARACTERS)
    const created_at = yield* DateTime.nowAsDate
    yield* queries.addKey({ id, season_id, name: storableText(said), prefix, key_sha256: secretHash(secret), created_by, created_at })
    return id
  })

  const byId = Effect.fnUntraced(function* (id: string, season_id: string | null) {
    const found = isUuid(id) ? yield* Effect.orDie(queries.keyById({ id, season_id })) : Option.none()
    if (Option.isNone(found)) return yield* new NotFound({ detail: "There is no runner key of this id." })
    const [key] = yield* Effect.orDie(withRunners([found.value]))
    return key!
  })

  return RunnerKeys.of({
    byKey,
    create: Effect.fn("RunnerKeys.create")(function* (name, season_id, created_by) {
      const secret = `agon_rk_${randomBytes(32).toString("base64url")}`
      const id = yield* add(name, secret, season_id, created_by)
      return { ...(yield* byId(id, season_id)), key: secret }
    }, Effect.orDie),
    own: Effect.fn("RunnerKeys.own")(function* (name, secret) {
      yield* add(name, secret, null, null) // it exists already, except at the first start
      return Option.map(yield* byKey(secret), ({ id }) => id)
    }, Effect.orDie),
    list: Effect.fn("RunnerKeys.list")(function* (season_id, { cursor, limit }) {
      const rows = yield* queries.keys({ season_id, limit, offset: cursor })
      const { total } = yield* queries.keyCount(season_id)
      const keys = yield* withRunners(rows)
      return { keys, total, next_cursor: nextCursor(cursor, rows.length, total) }
    }, Effect.orDie),
    get: byId,
    end: Effect.fn("RunnerKeys.end")(function* (id, season_id) {
      yield* byId(id, season_id)
      const revoke = queries.revoke({ id, now: yield* DateTime.nowAsDate })
      const revoked = yield* Effect.orDie(Effect.tap(revoke, () => queries.endRunners([id])))
      return { key: yield* byId(id, season_id), fresh: revoked.length > 0 }
    }),
    returnLeases,
    runners: Effect.fn("RunnerKeys.runners")(function* (season_id, { cursor, limit }) {
      const runners = yield* ofRunners.runners({ season_id, limit, offset: cursor })
      const { total } = yield* ofRunners.runnerCount(season_id)
      return { runners: runners.map(shown), total, next_cursor: nextCursor(cursor, runners.length, total) }
    }, Effect.orDie),
    drain: Effect.fn("RunnerKeys.drain")(function* (id, season_id) {
      const drained = isUuid(id) ? yield* Effect.orDie(ofRunners.drain({ id, season_id })) : Option.none()
      if (Option.isNone(drained)) return yield* new NotFound({ detail: "There is no runner of this id." })
      const { fresh, ...runner } = drained.value
      return { runner: shown(runner), fresh }
    })
  })
})

const makeReturnLeases = Effect.gen(function* () {
  const audits = yield* makeAuditQueries
  const openSeasons = yield* makeOpenSeasonsRead
  const actors = yield* SeasonActors

  /** A season that is closed or away is skipped: the key's leases run out there anyway. */
  return Effect.fn("RunnerKeys.returnLeases")(function* (key: string, then: "ended" | "stays") {
    yield* audits.giveBackAll(key)
    const seasons = yield* openSeasons(undefined)
    const command = { _tag: "RevokeKey", key, stays: then === "stays" } as const
    const returned = ({ id }: OpenSeason) => Effect.ignore(Effect.retry(actors.ask(id, command), askedAgain))
    yield* Effect.forEach(seasons, returned, { concurrency: 4, discard: true })
  }, Effect.orDie)
})
