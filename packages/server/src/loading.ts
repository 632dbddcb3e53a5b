/**
 * Loads the program in parts. Node loads modules without a turn of its event loop, some 800 of them in 0.45
 * s, and the database that opens meanwhile (Foundations.ts) takes its steps in such turns: a program of
 * Postgres has ended, the server is up, it has answered.
 */
import { setTimeout } from "node:timers/promises"

/** Each takes some 10 to 50 ms after those before it. Their order and number are a matter of time alone. */
const PARTS: ReadonlyArray<() => Promise<unknown>> = [
  () => import("./database/upToDate.ts"),
  () => import("effect/observability"),
  () => import("@effect/platform-node/NodeHttpServer"),
  () => import("effect/http-api"),
  () => import("effect/rpc"),
  () => import("effect/cluster"),
  () => import("openid-client"),
  () => import("@agon/domain/season/Season.ts"),
  () => import("@agon/api/match/api.ts"),
  () => import("@agon/api/season/administration.ts"),
  () => import("@agon/api/Api.ts"),
  () => import("./node/Lookout.ts"),
  () => import("./node/Cluster.ts"),
  () => import("./account/signin/SignIn.ts"),
  () => import("./season/Seasons.ts"),
  () => import("./match/Matches.ts"),
  () => import("./submission/Submissions.ts"),
  () => import("./runner/dispatch/Dispatcher.ts"),
  () => import("./writing/Posts.ts"),
  () => import("./services.ts"),
  () => import("./season/http.ts"),
  () => import("./match/http.ts"),
  () => import("./handlers.ts"),
  () => import("./Http.ts")
]
/** So long the database is listened to between two parts: it answers a statement within it. */
const TURN_MS = 1

export const loadProgram = async () => {
  for (const load of PARTS) {
    await load()
    await setTimeout(TURN_MS)
  }
  return await import("./program.ts")
}
