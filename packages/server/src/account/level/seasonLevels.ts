/** The levels that look up a season by its path, and the thing in it that the path names. */

import * as A from "@agon/api/Authorization.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { Context, Effect } from "effect"
import { HttpRouter } from "effect/http"
import { CurrentCallerClass } from "../../database/CallerClass.ts"
import { Lookups, type NameInSeason } from "../../http/Lookups.ts"
import type { Authenticate } from "./authenticate.ts"
import { makeUntilSuspended } from "./endingLevels.ts"

/** By the parameters of a path; an `:id` is that of a version, a match or a webhook, as the path says before it. */
const nameInSeason = (path: string, { baseline, id, map_id, n = "" }: Readonly<Record<string, string | undefined>>): NameInSeason => {
  if (map_id !== undefined) return { map_id }
  if (baseline !== undefined) return { baseline }
  if (id === undefined) return { n }
  if (path.includes("/webhooks/:id")) return { webhook: id }
  return path.includes("/matches/:id") ? { match: id } : { version: id }
}

/** Each name has one of these keys. */
type NamedBy<Name> = Name extends unknown ? keyof Name : never
const WHAT: Readonly<Record<NamedBy<NameInSeason>, string>> = {
  ...{ map_id: "board", baseline: "baseline", n: "round", match: "match", version: "version", webhook: "webhook" }
}

/** `match 0198…`, `board open-7` */
const wordsOf = (name: NameInSeason): string => {
  const [[what, called] = ["n", ""]] = Object.entries(name)
  return `${WHAT[what as keyof typeof WHAT]} ${called}`
}

export const makeSeasonLevels = Effect.fnUntraced(function* (authenticate: Authenticate) {
  const lookups = yield* Lookups

  const seasonAdmin: A.SeasonAdmin["Service"] = {
    session: Effect.fnUntraced(function* (httpEffect, asked) {
      const account = yield* authenticate.session(asked)
      const { game = "", slug = "" } = yield* HttpRouter.params // raw: decoding comes after the level
      const season = yield* lookups.seasonForAdmin(account, game, slug)
      if (!season.administers) return yield* new A.SeasonAdminOnly({ detail: `You do not administer ${slug}.` })
      const known = Context.make(A.CurrentAccount, account).pipe(
        Context.add(A.CurrentSeason, season),
        Context.add(CurrentCallerClass, "service")
      )
      return yield* Effect.provide(httpEffect, known)
    })
  }

  const namedGame: A.NamedGame["Service"] = Effect.fnUntraced(function* (httpEffect) {
    const { game = "" } = yield* HttpRouter.params
    yield* lookups.game(game)
    return yield* httpEffect
  })

  const namedSeason: A.NamedSeason["Service"] = Effect.fnUntraced(function* (httpEffect) {
    const { game = "", slug = "" } = yield* HttpRouter.params
    const season = yield* lookups.seasonForAdmin(yield* A.CurrentAccount, game, slug)
    return yield* Effect.provideService(httpEffect, A.CurrentSeason, season)
  })

  const inSeason: A.InSeason["Service"] = Effect.fnUntraced(function* (httpEffect, { endpoint }) {
    const name = nameInSeason(endpoint.path, yield* HttpRouter.params)
    const { id, slug } = yield* A.CurrentSeason
    if (yield* lookups.inSeason(id, name)) return yield* httpEffect
    return yield* new NotFound({ detail: `Season ${slug} has no ${wordsOf(name)}.` })
  })

  const untilSuspended = yield* makeUntilSuspended
  return Context.make(A.SeasonAdmin, untilSuspended(seasonAdmin)).pipe(
    Context.add(A.NamedGame, namedGame),
    Context.add(A.NamedSeason, namedSeason),
    Context.add(A.InSeason, inSeason)
  )
})
