/** A season's administrators act on versions by commands to its machine, which logs and notifies in the same commit. */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import type { NotFound, Unavailable } from "@agon/api/Problem.ts"
import { NotInContention } from "@agon/api/version/admin.ts"
import type { SeasonClosed } from "@agon/api/version/refusals.ts"
import type { Version } from "@agon/api/version/Version.ts"
import { Context, Effect, Layer } from "effect"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { auditOf } from "../audit/auditLog.ts"
import { toItsEnd } from "../process/toItsEnd.ts"
import { Versions } from "./Versions.ts"
import { VoidOrders } from "./VoidOrders.ts"

interface Disqualification {
  readonly reason: string
  readonly void_matches: boolean
}

export class VersionAdmin extends Context.Service<
  VersionAdmin,
  {
    /** For a version of the season; one that is disqualified already stays as it is. */
    readonly disqualify: (
      account: SignedIn,
      season: SeasonInPath,
      version: string,
      how: Disqualification
    ) => Effect.Effect<Version, NotFound | NotInContention | SeasonClosed | Unavailable>
    /** For a version of the season; one that is neither suspended nor disqualified stays as it is. */
    readonly reinstate: (
      account: SignedIn,
      season: SeasonInPath,
      version: string
    ) => Effect.Effect<Version, NotFound | SeasonClosed | Unavailable>
  }
>()("agon/VersionAdmin") {
  static readonly layer: Layer.Layer<VersionAdmin, never, SeasonActors | Versions | VoidOrders> = Layer.effect(
    VersionAdmin,
    Effect.suspend(() => makeVersionAdmin)
  )
}

const makeVersionAdmin = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const orders = yield* VoidOrders
  const versions = yield* Versions

  const disqualified = Effect.fn("VersionAdmin.disqualify")(function* (
    account: SignedIn,
    season: SeasonInPath,
    version: string,
    { reason, void_matches }: Disqualification
  ) {
    const audit = yield* auditOf(account, "version.disqualify", version, { reason, void_matches })
    const order = orders.add({ season_id: season.id, version_id: version, actor: account.id, reason })
    // Before the commit, so that it stands whatever becomes of this process: finals and a close wait for it.
    yield* void_matches ? order : orders.drop(version)
    const reply = yield* askedByPerson(actors, season.id, { _tag: "Disqualify", version, reason, void_matches, audit })
    if ("refused" in reply) {
      yield* orders.drop(version)
      return yield* new NotInContention({
        detail: "Only an entry that is in contention can be disqualified; a baseline is switched off."
      })
    }
    // And after it: a season that took long to answer may have had the first one found without a disqualification.
    if (void_matches) yield* order
    return yield* versions.own(version)
  })

  const reinstated = Effect.fn("VersionAdmin.reinstate")(function* (account: SignedIn, season: SeasonInPath, version: string) {
    const audit = yield* auditOf(account, "version.reinstate", version)
    // The machine does not know versions that have left play; none of them is suspended.
    yield* askedByPerson(actors, season.id, { _tag: "Reinstate", version, audit })
    yield* orders.drop(version)
    return yield* versions.own(version)
  })

  // Both go on where their client has gone: it is the commit that is told to the orders, whoever waits for it.
  return VersionAdmin.of({
    disqualify: (account, season, version, how) => toItsEnd(disqualified(account, season, version, how)),
    reinstate: (account, season, version) => toItsEnd(reinstated(account, season, version))
  })
})
