/** A season's administrators act on versions by commands to its machine, which logs and notifies in the same commit. */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import type { NotFound, Unavailable } from "@agon/api/Problem.ts"
import type { SeasonClosed } from "@agon/api/version/refusals.ts"
import type { Version } from "@agon/api/version/Version.ts"
import { Context, Effect, Layer } from "effect"
import { asked } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonEntity.ts"
import { auditOf } from "../audit/audits.ts"
import { Versions } from "./Versions.ts"

export class VersionAdmin extends Context.Service<
  VersionAdmin,
  {
    /** For a version of the season; one that is not suspended stays as it is. */
    readonly reinstate: (
      account: SignedIn,
      season: SeasonInPath,
      version: string
    ) => Effect.Effect<Version, NotFound | SeasonClosed | Unavailable>
  }
>()("agon/VersionAdmin") {
  static readonly layer: Layer.Layer<VersionAdmin, never, SeasonActors | Versions> = Layer.effect(
    VersionAdmin,
    Effect.suspend(() => makeVersionAdmin)
  )
}

const makeVersionAdmin = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const versions = yield* Versions

  return VersionAdmin.of({
    reinstate: Effect.fn("VersionAdmin.reinstate")(function* (account, season, version) {
      const audit = yield* auditOf(account, "version.reinstate", version)
      // The machine does not know versions that have left play; none of them is suspended.
      yield* asked(actors, season.id, { _tag: "Reinstate", version, audit })
      return yield* versions.own(version)
    })
  })
})
