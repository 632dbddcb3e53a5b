/** A season of snakes that takes no models yet. */
import { Effect } from "effect"
import * as Fixture from "./Fixture.ts"
import { OPEN_SEASON } from "./openSeason.ts"
import * as Service from "./Service.ts"

const GAME = { game: "snakes" } as const

/** Administered by root and ada. */
export const scheduled = Effect.fnUntraced(function* (slug: string) {
  const admin = yield* (yield* Service.Service).as("admin")
  yield* admin.seasonCreation.createSeason({
    params: GAME,
    payload: {
      ...OPEN_SEASON,
      name: slug,
      slug,
      submissions_open_at: "2090-01-01T00:00:00Z",
      weight_classes: Fixture.classes,
      providers: ["dev"],
      admins: ["ada"]
    }
  })
  return { admin, of: { ...GAME, slug } }
})
