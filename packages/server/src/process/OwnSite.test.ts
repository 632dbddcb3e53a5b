import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { setGlobalProxyFromEnv } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { eventually } from "../../../../test/support/eventually.ts"
import { type Listening, OwnSite, type Patience } from "./OwnSite.ts"

const settings = { host: "127.0.0.1", port: 8080, site: "own" } as const
const HASTY: Patience = { start: "60 seconds", every: "20 millis", answer: "100 millis", misses_max: 3 }

/** A program in place of the site. */
const programOf = (text: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(join(tmpdir(), "agon-site-"))
      writeFileSync(join(folder, "site.mjs"), text)
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ).pipe(Effect.map((folder) => [join(folder, "site.mjs")]))

/** The site beside a service, and what is logged of it. */
const beside = Effect.fnUntraced(function* (program: ReadonlyArray<string>, patience: Patience) {
  const lines: Array<string> = []
  const listening: Listening = { port: undefined }
  const heard = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
  const context = yield* Layer.build(OwnSite.layer(settings, listening, { program, patience }).pipe(Layer.provide(heard)))
  const { pid } = yield* Effect.provideContext(OwnSite, context)
  const said = (words: string) => lines.filter((line) => line.includes(words)).length
  return { listening, pid, said }
})

const until = (what: string, condition: () => boolean) => eventually(what, Effect.sync(condition))

const isGone = (pid: number) => {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

it.live("a site that takes requests and answers none is killed, which the log says, and started again", () =>
  Effect.gen(function* () {
    const mute = yield* programOf(`import { createServer } from "node:net"
const server = createServer(() => {}).listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))`)
    const { pid, said } = yield* beside(mute, HASTY)
    yield* until("it runs", () => pid() !== undefined)
    const first = pid()!
    yield* until("another runs", () => pid() !== undefined && pid() !== first)
    assert.isTrue(isGone(first))
    assert.isAbove(said("does not answer; it is killed"), 0)
    assert.isAbove(said("ended; it is started again"), 0)
  })
)

it.live("a site that never tells its port is killed and started again", () =>
  Effect.gen(function* () {
    const { said } = yield* beside(yield* programOf("setInterval(() => {}, 1_000)"), { ...HASTY, start: "50 millis" })
    yield* until("it was killed twice", () => said("does not say where it listens; it is killed") > 1)
  })
)

it.live("a site that answers is left alone", () =>
  Effect.gen(function* () {
    const site = yield* programOf(`import { createServer } from "node:http"
let asked = 0
const server = createServer((_, response) => {
  response.end()
  if (++asked === 20) process.send({ port: 1 })
}).listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))`)
    const { listening, pid, said } = yield* beside(site, { ...HASTY, answer: "30 seconds" })
    yield* until("it listens", () => listening.port !== undefined)
    const first = pid()
    yield* until("it has been asked twenty times, and says so", () => listening.port === 1)
    assert.deepStrictEqual([pid(), said("it is")], [first, 0])
  })
)

it.live("a site is asked straight, also where Node is to use a proxy for everything", () =>
  Effect.gen(function* () {
    const back = setGlobalProxyFromEnv({ http_proxy: "http://127.0.0.1:9" })
    yield* Effect.addFinalizer(() => Effect.sync(back))
    const site = yield* programOf(`import { createServer } from "node:http"
let asked = 0
const server = createServer((_, response) => {
  response.end()
  if (++asked === 5) process.send({ port: 1 })
}).listen(0, "127.0.0.1", () => process.send({ port: server.address().port }))`)
    const { listening, said } = yield* beside(site, { ...HASTY, answer: "30 seconds" })
    yield* until("it has been asked five times, or was killed", () => listening.port === 1 || said("it is") > 0)
    assert.strictEqual(said("it is"), 0)
  })
)

it.live("a site that cannot be started is tried again, and the log says so each time", () =>
  Effect.gen(function* () {
    const { pid, said } = yield* beside(["an argument that no program takes: \0"], HASTY)
    yield* until("it was tried twice", () => said("could not be started") > 1)
    assert.isUndefined(pid())
  })
)
