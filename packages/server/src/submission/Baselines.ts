/** Baselines: models that administrators bring into a season. Recorded by name, reviewed as any, switched on and off. */

import { randomBytes } from "node:crypto"
import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { nextCursor } from "@agon/api/Page.ts"
import { NotFound, type Unavailable } from "@agon/api/Problem.ts"
import { SeasonClosed as Closed, type SeasonClosed } from "@agon/api/submission/api.ts"
import {
  type Baseline,
  BaselineExists,
  BaselineNotAdmitted,
  type Baselines as Page,
  type RecordedBaseline
} from "@agon/api/submission/baselines.ts"
import type { Audit } from "@agon/domain/season/Audit.ts"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import type { PageOf } from "../account/Accounts.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { asked } from "../season/asked.ts"
import { SeasonActors } from "../season/SeasonEntity.ts"
import { makeQueries } from "./queries.ts"
import { uploadsOf } from "./Submissions.ts"

interface Named {
  readonly name: string
  readonly weights_hash: string
  readonly manifest_hash: string
}

export class Baselines extends Context.Service<
  Baselines,
  {
    readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<Page>
    /** Answers where the two files go. The same name with the same hashes again: the same version, links for the rest of its window. */
    readonly record: (
      account: SignedIn,
      season: SeasonInPath,
      baseline: Named
    ) => Effect.Effect<typeof RecordedBaseline.Type, BaselineExists | SeasonClosed | Unavailable>
    readonly switch: (
      account: SignedIn,
      season: SeasonInPath,
      name: string,
      enabled: boolean
    ) => Effect.Effect<Baseline, NotFound | BaselineNotAdmitted | SeasonClosed | Unavailable>
  }
>()("agon/Baselines") {
  static readonly layer: Layer.Layer<Baselines, never, SqlClient.SqlClient | ObjectStore | SeasonActors> = Layer.effect(
    Baselines,
    Effect.suspend(() => makeBaselines)
  )
}

const makeBaselines = Effect.gen(function* () {
  const queries = yield* makeQueries
  const actors = yield* SeasonActors
  const objects = yield* ObjectStore
  const random = SecureRandom.make((size) => randomBytes(size))

  const audit = (account: SignedIn, action: string, subject: string, detail: unknown): Effect.Effect<Audit> =>
    Effect.map(random.uuidV7(), (id) => ({ id, actor: account.id, action, subject, detail }))

  const byName = Effect.fnUntraced(function* (season_id: string, name: string) {
    const found = yield* Effect.orDie(queries.baseline({ season_id, name }))
    return Option.isSome(found) ? found.value : yield* new NotFound({ detail: `The season has no baseline ${name}.` })
  })

  const enter = Effect.fnUntraced(function* (account: SignedIn, { game, id: season_id }: SeasonInPath, baseline: Named) {
    const { name, ...hashes } = baseline
    const now = new Date(yield* Clock.currentTimeMillis)
    const model = yield* Effect.orDie(queries.baselineModel({ id: yield* random.uuidV7(), game, season_id, name, now }))
    const { number } = yield* Effect.orDie(queries.nextNumber(model.id))
    const reply = yield* asked(actors, season_id, {
      _tag: "SubmitVersion",
      version: yield* random.uuidV7(),
      model: model.id,
      owner: null,
      number,
      ...hashes,
      note: null,
      eligible: true,
      retired: false,
      files: null,
      audit: yield* audit(account, "baseline.record", name, hashes)
    })
    return "refused" in reply ? yield* new Closed({ detail: "The season takes no more baselines." }) : reply
  })

  return Baselines.of({
    list: Effect.fn("Baselines.list")(function* ({ id }, { cursor, limit }) {
      const rows = yield* queries.baselines({ season_id: id, limit, offset: cursor })
      const total = rows[0]?.total ?? 0
      return { baselines: rows.map(({ total: _, ...row }) => publish(row)), total, next_cursor: nextCursor(cursor, rows.length, total) }
    }, Effect.orDie),
    record: Effect.fn("Baselines.record")(function* (account, season, baseline) {
      const { manifest_hash, name, weights_hash } = baseline
      const known = yield* Effect.orDie(queries.baseline({ season_id: season.id, name }))
      const same = Option.filter(known, (row) => row.weights_hash === weights_hash && row.manifest_hash === manifest_hash)
      if (Option.isSome(known) && Option.isNone(same) && known.value.status !== "rejected") {
        return yield* new BaselineExists({ detail: `The season has a baseline ${name} of other files.` })
      }
      const entered = yield* enter(account, season, baseline)
      const { weights_max_bytes } = yield* Effect.orDie(queries.largestClass(season.id))
      const upload = yield* uploadsOf(objects, entered, baseline, weights_max_bytes)
      return { ...publish(yield* Effect.orDie(byName(season.id, name))), upload }
    }),
    switch: Effect.fn("Baselines.switch")(function* (account, season, name, enabled) {
      const { id } = yield* byName(season.id, name)
      const told = yield* audit(account, "baseline.switch", name, { enabled })
      const reply = yield* asked(actors, season.id, { _tag: "SwitchBaseline", version: id, enabled, audit: told })
      if ("refused" in reply) return yield* new BaselineNotAdmitted({ detail: `${name} is not admitted (yet); it cannot be switched.` })
      return publish(yield* byName(season.id, name))
    })
  })
})

interface Row extends Omit<Baseline, "version_id" | "enabled"> {
  readonly id: string
}

const publish = ({ class: held, id: version_id, name, reject_reason, status }: Row): Baseline => ({
  name,
  version_id,
  status,
  class: held,
  reject_reason,
  enabled: status === "entered"
})
