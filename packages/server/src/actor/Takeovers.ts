/**
 * Starts the open seasons of this node's shards that are not here. The cluster itself starts a season on its next node by the stored message
 * that has kept it on the last one (SeasonActors.ts). But after ten minutes it delivers that message again, and the season, which is kept
 * already, answers it. So a season that has stayed for longer has no message any more when its node ends, and nobody would start it until it
 * is asked: no round would begin, and none that closes would freeze.
 *
 *   every second: the open seasons that do not live here and whose shard is this node's ─▶ woken, a few side by side
 *
 * A season that is moving is found by both ways, which is one start. A process alone hosts all seasons from its start on, and needs none
 * of this.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { EntityId, Sharding } from "effect/cluster"
import { HasPeers } from "../process/HasPeers.ts"
import { LocalMailboxes } from "./LocalMailboxes.ts"
import { OpenSeasons } from "./OpenSeasons.ts"
import { SeasonActors, SeasonEntity, WAKE_CONCURRENCY } from "./SeasonActors.ts"

const LOOK_EVERY = "1 second"

export class Takeovers extends Context.Service<Takeovers, { readonly look: Effect.Effect<void> }>()("agon/Takeovers") {
  static readonly layer: Layer.Layer<Takeovers, never, LocalMailboxes | OpenSeasons | SeasonActors | Sharding.Sharding> = Layer.effect(
    Takeovers,
    Effect.gen(function* () {
      const [actors, mailboxes] = [yield* SeasonActors, yield* LocalMailboxes]
      const [seasons, sharding] = [yield* OpenSeasons, yield* Sharding.Sharding]
      const isOurs = (season: string) => {
        const id = EntityId.make(season)
        return sharding.hasShardId(sharding.getShardId(id, SeasonEntity.getShardGroup(id)))
      }
      /** One that is not woken now is found by the next look. */
      const look = Effect.suspend(() => {
        const missing = seasons.list().filter(({ id }) => !mailboxes.has(id) && isOurs(id))
        return Effect.forEach(missing, ({ id }) => Effect.ignore(actors.wake(id)), { concurrency: WAKE_CONCURRENCY, discard: true })
      })
      if (yield* HasPeers) yield* look.pipe(Effect.schedule(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
      return Takeovers.of({ look })
    })
  )
}
