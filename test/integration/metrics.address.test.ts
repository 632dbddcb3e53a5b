/**
 * An address for metrics that somebody else listens on: refused where it was asked for, done without where it
 * was not. And what stands there before anything has happened.
 */

import { execFile } from "node:child_process"
import { createServer } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Metrics from "@agon/server/http/Metrics.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { freePort } from "../support/freePort.ts"
import { alerts } from "../support/PromQL.ts"
import { valueOf } from "../support/scrape.ts"

const HOST = "127.0.0.1"

const takenPort = Effect.acquireRelease(
  Effect.promise(async () => {
    const port = await freePort()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, HOST, resolve))
    return { port, server }
  }),
  ({ server }) => Effect.promise(() => new Promise((resolve) => server.close(resolve)))
)

/** The outcome of building the server, and its warnings. */
const built = Effect.fnUntraced(function* (port: number, asked: boolean) {
  const said: Array<string> = []
  const log = Logger.layer([Logger.make(({ logLevel, message }) => said.push(`${logLevel} ${String(message)}`))])
  const layer: Layer.Layer<never, { readonly message: string }> = Metrics.layer({ address: { host: HOST, port }, asked })
  const outcome = yield* Effect.scoped(Layer.build(layer)).pipe(
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => "built" }),
    Effect.provide(log)
  )
  return { outcome, said }
})

describe("the address of metrics", () => {
  it.live("that another service has is done without, with a warning that says what to set", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      const { outcome, said } = yield* built(port, false)
      assert.strictEqual(outcome, "built")
      assert.deepStrictEqual(said, [
        `Warn no /metrics: ${HOST}:${port} cannot be listened on (EADDRINUSE); set AGON_METRICS to another host:port, or to off`
      ])
    })
  )

  it.live("that was asked for refuses the start in one line", () =>
    Effect.gen(function* () {
      const { port } = yield* takenPort
      const { outcome, said } = yield* built(port, true)
      assert.match(outcome, new RegExp(`^AGON_METRICS: ${HOST}:${port} cannot be listened on \\(EADDRINUSE\\); it takes [^\\n]+$`))
      assert.deepStrictEqual(said, [])
    })
  )
})

/** Counters and labels of which an alert asks how far they rise. */
const risesAskedFor = alerts.flatMap(({ alert, expr }) =>
  [...expr.matchAll(/(?:rate|increase)\((agon_\w+)(?<!_bucket)(?:\{(\w+)=~?"([^"]*)"\})?\[/g)].flatMap(([, name, label, values = ""]) =>
    values.split("|").map((value) => ({ alert, name: name!, labels: label === undefined ? {} : { [label]: value } }))
  )
)

describe("counters of whose rise an alert is made", () => {
  it.live("stand at 0 from the start: Prometheus sees no rise in a series that begins with its first event", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const fresh = join(import.meta.dirname, "../support/freshMetrics.ts")
      const { stdout: text } = yield* Effect.promise(() => promisify(execFile)(process.execPath, [fresh, String(port)]))
      assert.isAbove(risesAskedFor.length, 8)
      assert.deepStrictEqual(
        risesAskedFor.filter(({ labels, name }) => valueOf(text, name, labels) !== 0),
        []
      )
    })
  )
})
