/**
 * Every shared answer of a small world (SmallWorld.ts), and what becomes of them by a write: for tests of what the cache
 * lets go. Routes that took a write are remembered, so that a test can say which it has not tried.
 */
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Effect } from "effect"
import * as A from "./Administration.ts"
import type * as Small from "./SmallWorld.ts"
import { Web } from "./Web.ts"
import { routeIn, writingRoutes } from "./writingRoutes.ts"

export const games = "/v1/games/snakes"
export const picks = `${games}/picks`

export const pathsOf = ({ adder, boa, cobra, idle, matches, one, two }: Small.World): ReadonlyArray<string> => {
  const inSeason = (slug: string) => [
    ...["", "/maps?boards=true", "/maps/duel", "/maps/plain", "/podium"].map((rest) => `${games}/seasons/${slug}${rest}`),
    ...["nano", "open"].flatMap((ladder) =>
      ["", "/series", "/matrix"].map((rest) => `${games}/leaderboard${rest}?season=${slug}&ladder=${ladder}`)
    ),
    ...["", "&sort=upset", "&sort=discussed"].map((rest) => `/v1/matches?season=${slug}${rest}`)
  ]
  const models = [adder, boa, cobra].map(({ model }) => model)
  const versions = [adder, boa, cobra].map(({ version }) => version)
  const played = [matches.one[0]!, matches.one[1]!, matches.two[0]!]
  return [
    ...["/v1/auth-providers", "/v1/games", games, "/v1/games/othello", `${games}/seasons`, "/v1/games/othello/seasons"],
    ...[`${games}/leaderboard`, `${games}/leaderboard/series`, `${games}/leaderboard/matrix`, "/v1/matches"],
    ...["one", "two"].flatMap(inSeason),
    ...[...models, idle].flatMap((id) => [`/v1/models/${id}`, `/v1/models/${id}/rivals`, `/v1/matches?model=${id}`]),
    ...["one", "two"].flatMap((slug) => models.map((id) => `/v1/models/${id}/season?season=${slug}`)),
    ...["one", "two"].flatMap((slug) => models.map((id) => `/v1/models/${id}/maps?season=${slug}`)),
    `/v1/models/${cobra.model}/season`,
    ...[...versions, one.baselines[0]!, two.baselines[0]!].map((id) => `/v1/versions/${id}`),
    ...versions.map((id) => `/v1/matches?version=${id}`),
    ...[adder, boa].map(({ model }) => `/v1/threads?model=${model}`),
    ...played.map((id) => `/v1/threads?match=${id}`),
    ...[picks, "/v1/games/othello/picks"],
    ...["/v1/announcements", "/v1/stories", "/v1/posts/kept", "/v1/posts/other"],
    ...[adder, boa].map(({ model }) => `/v1/models/${model}/story`),
    ...["ada", "bob"].flatMap((name) => [`/v1/profiles/${name}`, `/v1/profiles/${name}/comments`, `/v1/matches?owner=${name}`]),
    `/v1/matches?vs=${adder.model},${boa.model}`,
    ...played.flatMap((id) => ["", "/frame", "/related"].map((rest) => `/v1/matches/${id}${rest}`))
  ]
}

/** Names in place of ids. */
export const readerOf = ({ adder, boa, cobra, idle, matches, one, two }: Small.World) => {
  const names: ReadonlyArray<readonly [string, string]> = [
    ...Object.entries({ Adder: adder.model, Boa: boa.model, Cobra: cobra.model, Idle: idle }),
    ...Object.entries({ adder1: adder.version, boa1: boa.version, cobra1: cobra.version }),
    ...[one, two].map(({ baselines }, i) => [`base${i + 1}`, baselines[0]!] as const),
    ...[matches.one[0]!, matches.one[1]!, matches.two[0]!].map((id, i) => [["one-a", "one-b", "two-a"][i]!, id] as const)
  ]
  return (path: string) => names.reduce((text, [name, id]) => text.replaceAll(id, name), path)
}

/** An answer's text, but for the moments that a series is drawn at. */
const faceOf = ({ status, text }: { readonly status: number; readonly text: string }) =>
  `${status} ${text.replace(/"points":\[[^\]]*\]/, "")}`

const concurrency = { concurrency: 6 }

/** Which answers have changed by a write, which of those the cache still has, and which others it let go. */
export const effects = Effect.fnUntraced(function* <E, R>(paths: ReadonlyArray<string>, write: Effect.Effect<unknown, E, R>) {
  const cache = yield* ResponseCache
  const answers = yield* Effect.forEach(paths, (path) => Effect.map(A.ask(path), (answer) => [path, faceOf(answer)] as const), concurrency)
  const kept = answers.filter(([path]) => cache.getUnsafe(path) !== undefined)
  yield* Effect.provideServiceEffect(write, Web, watched)
  const gone = new Set(kept.flatMap(([path]) => (cache.getUnsafe(path) === undefined ? [path] : [])))
  yield* cache.purgeAll
  const now = yield* Effect.forEach(kept, ([path]) => Effect.map(A.ask(path), faceOf), concurrency)
  const changed = kept.flatMap(([path, face], i) => (now[i] === face ? [] : [path]))
  return {
    kept: kept.length,
    changed,
    stale: changed.filter((path) => !gone.has(path)),
    needless: [...gone].filter((path) => !changed.includes(path))
  }
})

const routes = writingRoutes()
/** Routes that took one of the writes. */
const tried = new Set<string>()
const watched = Effect.map(Web, (web) =>
  Web.of({
    call: (path, call = {}) =>
      Effect.tap(web.call(path, call), ({ status }) =>
        Effect.sync(() => {
          const route = status < 300 ? routeIn(routes, call.method ?? "GET", path) : undefined
          if (route !== undefined) tried.add(route)
        })
      )
  })
)

/** Routes whose writes no shared answer shows, and those of programs, whose writes are tried as the commands that they become. */
const unshown: ReadonlyArray<string> = [
  // Sessions, and what one account, or one season's administrators, are told and where.
  ...[
    "DELETE /v1/sessions/:sid",
    "DELETE /v1/session",
    "POST /v1/auth/device",
    "POST /v1/auth/device/token",
    "POST /v1/auth/device/approve"
  ],
  "POST /v1/unsubscribe",
  ...["/v1/me/webhooks", "/v1/games/:game/seasons/:slug/webhooks"].flatMap((path) => [
    `POST ${path}`,
    ...["PATCH", "DELETE"].map((method) => `${method} ${path}/:id`),
    ...["secret", "test"].map((part) => `POST ${path}/:id/${part}`)
  ]),
  // Runners and their keys.
  ...["POST /v1/runner-keys", "DELETE /v1/runner-keys/:key", "DELETE /v1/runners/:runner"],
  ...["runner-keys/:key", "runners/:runner"].map((rest) => `DELETE /v1/games/:game/seasons/:slug/${rest}`),
  ...["POST /v1/runner/sessions", "DELETE /v1/runner/sessions/:runner", "POST /v1/runner/heartbeat"],
  // Commands: SubmitVersion, LeaseWork, ReportMatch and the others.
  ...["POST /v1/submissions", "POST /v1/submissions/reenter"],
  ...["POST /v1/runner/leases", "POST /v1/runner/leases/:lease/result", "POST /v1/runner/leases/:lease/release"]
]

/** Routes that no write went to, and those named in `unshown` that took one, or are none. */
export const untried = () => ({
  missing: routes.filter((route) => !tried.has(route) && !unshown.includes(route)),
  needless: unshown.filter((route) => tried.has(route) || !routes.includes(route))
})
