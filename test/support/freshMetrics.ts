/** Prints the metrics of a process in which nothing has happened, on the free port of the first argument. */
import "@agon/server/program.ts" // with all of its counters
import * as Metrics from "@agon/server/http/Metrics.ts"
import { Effect, Layer } from "effect"

const address = { host: "127.0.0.1", port: Number(process.argv[2]) }
const read = Effect.promise(async () => (await fetch(`http://${address.host}:${address.port}/metrics`)).text())
const metrics = Layer.build(Metrics.layer({ address, asked: true })).pipe(Effect.andThen(read), Effect.scoped)
process.stdout.write(await Effect.runPromise(metrics))
