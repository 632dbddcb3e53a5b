/**
 * The process that is under attack: the whole service over a database that has a field in it, on a port of
 * its own and without limits of rate, since it is what a single request costs that is asked. Forked by
 * Attacked.ts, which it tells what to ask of every route, and how long its loop was held, what its thread
 * worked and what it holds in memory since it was told to begin.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { makeRoutes, serve } from "@agon/server/Http.ts"
import { Handlers } from "@agon/server/handlers.ts"
import { ConnectionLimits } from "@agon/server/http/connection/Connections.ts"
import { NodeRuntime } from "@effect/platform-node"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import * as Callers from "../support/RoleCallers.ts"
import { prepare } from "../support/RoleRequests.ts"
import { type Row, routeOf, table } from "../support/RoutesTable.ts"

/** A request that a route obeys, made ready for whom the route is for. */
export interface Target {
  readonly route: string
  readonly method: string
  readonly url: string
  readonly json?: unknown
  readonly headers: Readonly<Record<string, string>>
}

export interface Figures {
  readonly loop_ms: number
  readonly cpu_ms: number
  readonly held_bytes: number
}

export type Told =
  | { readonly told: "up"; readonly port: number; readonly targets: ReadonlyArray<Target> }
  | ({ readonly told: "figures" } & Figures)
  | { readonly told: "begun" }

const RESOLUTION_MS = 2
const GC_TIMES = 3

const callerOf = ({ auth }: Row): Callers.Caller | "runner" => {
  if (auth === "runner") return "runner"
  if (auth === "public" || auth === "optional") return Callers.nobody
  if (auth === "platform-admin" || auth === "probe") return Callers.platform
  return auth === "season-admin" ? Callers.administrator : Callers.owner
}

const targetOf = Effect.fnUntraced(function* (row: Row, n: number) {
  const { keys } = yield* Callers.World
  const caller = callerOf(row)
  const account = caller === "runner" ? undefined : caller.account
  const { json, method, session, url } = yield* prepare(row, caller === "runner" ? { role: "", key: keys.ours.secret } : caller, n)
  const headers: Record<string, string> = {
    ...(caller === "runner" ? Callers.bearer(keys.ours.secret) : {}),
    ...(account === undefined ? {} : { cookie: `service_session=${session ?? account}-token` })
  }
  return { route: routeOf(row), method, url, headers, ...(json === undefined ? {} : { json }) } satisfies Target
})

const tell = (told: Told) => process.send!(told)

/** Everything but what the pages of the heap happen to be. */
const held = () => {
  for (let i = 0; i < GC_TIMES; i++) globalThis.gc!() // what a finalizer lets go of is gone after another
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

const measures = () => {
  const loop = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  loop.enable()
  let began = process.threadCpuUsage()
  process.on("message", (asked: "begin" | "weigh" | "end") => {
    if (asked === "end" || asked === "weigh") {
      const { system, user } = process.threadCpuUsage(began)
      const [loop_ms, cpu_ms] = [Math.max(0, loop.max / 1e6 - RESOLUTION_MS), (system + user) / 1000]
      return tell({ told: "figures", loop_ms, cpu_ms, held_bytes: asked === "weigh" ? held() : 0 })
    }
    loop.reset()
    began = process.threadCpuUsage()
    tell({ told: "begun" })
  })
}

const ready = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  const targets: Array<Target> = []
  for (const [n, row] of table.entries()) targets.push(yield* targetOf(row, 10_000 + n))
  measures()
  tell({ told: "up", port: (address as { readonly port: number }).port, targets })
})

/** Slow ones are waited for by nobody here. */
const limits = { ...Context.get(Context.empty(), ConnectionLimits), address_connections: 10_000 }

const World = Callers.layer.pipe(Layer.provideMerge(Fixture.layer), Layer.provideMerge(A.layer))
const Served = serve({ host: "127.0.0.1", port: 0 }, makeRoutes(Handlers)).pipe(Layer.provide(Layer.succeed(ConnectionLimits, limits)))
const Program = Layer.effectDiscard(ready).pipe(Layer.provideMerge(Served), Layer.provideMerge(World))

process.on("disconnect", () => process.exit(0))
NodeRuntime.runMain(Layer.launch(Program))
