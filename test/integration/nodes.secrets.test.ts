/** A node whose secrets are not those of the others does not join them: it would be given seasons for which no other node could ask. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Program from "../e2e/Program.ts"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Postgres from "../support/Postgres.ts"

const SERVER = join(import.meta.dirname, "../../packages/server/src")

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-secrets-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
)

/** A program of the service, killed at the end of the test. */
const launched = (program: "main.ts" | "doctor/main.ts", environment: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => Program.launch(process.execPath, [join(SERVER, program)], environment)),
    (child) =>
      Effect.promise(async () => {
        if (!child.over()) process.kill(child.pid, "SIGKILL")
        await child.ended
      })
  )

const answers = (origin: string, child: Program.Program) =>
  Effect.promise(() =>
    eventuallyAsync(`an answer of ${origin}`, async () => {
      if (child.over()) throw new Hopeless(`the node ended: ${child.log()}`)
      return (await fetch(`${origin}/readyz`)).ok
    })
  )

describe("a node with secrets of its own", () => {
  it.live(
    "is refused with the nodes that run, in a sentence that the doctor says too, and starts once it has theirs",
    () =>
      Effect.gen(function* () {
        const url = Redacted.value(yield* Postgres.url())
        const shared = { DATABASE_URL: url, AGON_DEV_SIGNIN: "1", AGON_METRICS: "off" }
        const node = Effect.fnUntraced(function* () {
          const [port, own] = [yield* Effect.promise(freePort), yield* Effect.promise(freePort)]
          const AGON_NODE = `127.0.0.1:${own}`
          return { origin: `http://127.0.0.1:${port}`, environment: { ...shared, AGON_DATA: yield* folder, PORT: String(port), AGON_NODE } }
        })
        const doctor = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
          const child = yield* launched("doctor/main.ts", environment)
          yield* Effect.promise(() => child.ended)
          return child.log()
        })

        const first = yield* node()
        yield* answers(first.origin, yield* launched("main.ts", first.environment))

        const second = yield* node()
        const sentence =
          `AGON_DATA: its secrets are not those of the nodes that run (${first.environment.AGON_NODE}); ` +
          "copy the files of AGON_DATA/secrets from one of these\n"
        const refused = yield* launched("main.ts", second.environment)
        assert.deepStrictEqual(yield* Effect.promise(() => refused.ended), { status: 1, signal: null })
        assert.strictEqual(refused.log(), sentence)
        assert.include(yield* doctor(second.environment), `BROKEN  nodes: ${sentence}`)
        const { AGON_NODE, ...alone } = second.environment
        const without = `BROKEN  nodes: AGON_NODE: not set, and nodes run on this database (${first.environment.AGON_NODE}); give`
        assert.include(yield* doctor(alone), without)

        mkdirSync(join(second.environment.AGON_DATA, "secrets"), { recursive: true })
        cpSync(join(first.environment.AGON_DATA, "secrets"), join(second.environment.AGON_DATA, "secrets"), { recursive: true })
        yield* answers(second.origin, yield* launched("main.ts", second.environment))
      }).pipe(Effect.scoped),
    120_000
  )
})
