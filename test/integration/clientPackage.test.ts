/**
 * The package of the typed client: packed, installed from its file in an empty folder without a network, and
 * a program written against it compiled there and run against a service, by the machine's own Node.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Browser, signIn } from "../support/Browser.ts"
import { machinesNode, packed, step } from "../support/Packages.ts"
import * as Service from "../support/Service.ts"
import { leftOut } from "../support/slow.ts"

const TSC = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc")
const EFFECT = dirname(createRequire(import.meta.url).resolve("effect/package.json"))

const PROGRAM = `
import { firstPage, makeClient, pages, retryRefused } from "@agon/client"
import { Season } from "@agon/client/season/Season"
import { Effect, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"

const [origin = "", session = ""] = process.argv.slice(2)
const game = "snakes"

const program = Effect.gen(function* () {
  const client = yield* makeClient(origin)
  const seasons: ReadonlyArray<Season> = yield* retryRefused(client.season.seasons({ params: { game } }))
  const refused = yield* retryRefused(client.season.season({ params: { game, slug: "none" } })).pipe(
    Effect.map(({ name }) => name),
    Effect.catchTag("unknown_season", ({ detail, code }) => Effect.succeed(\`\${code}: \${detail}\`))
  )
  const own = yield* makeClient(origin, { session })
  const { username } = yield* retryRefused(own.account.me())
  const models = yield* pages((page) => retryRefused(own.model.ownModels({ query: { game, ...page } }))).pipe(Stream.runCollect)
  // @ts-expect-error: no such endpoint
  const none: unknown = client.season.nothing
  // @ts-expect-error: a slug is wanted
  const unasked = () => client.season.season({ params: { game } })
  return { seasons, refused, username, pages: models.length, none, unasked: typeof unasked, limit: firstPage().limit, isSeason: Schema.is(Season)({}) }
})

console.log(JSON.stringify(await Effect.runPromise(program.pipe(Effect.provide(FetchHttpClient.layer)))))
`

const CONFIG = {
  compilerOptions: {
    module: "nodenext",
    target: "es2022",
    lib: ["es2023", "dom"],
    types: ["node"],
    strict: true,
    skipLibCheck: true,
    outDir: "out"
  },
  files: ["program.mts"]
}

interface Installed {
  /** Where the package is installed. */
  readonly folder: string
  readonly end: () => void
}

const install = async (): Promise<Installed> => {
  const folder = mkdtempSync(join(tmpdir(), "agon-client-"))
  const file = await packed(folder, "packClient.ts")
  const empty = join(folder, "empty")
  mkdirSync(empty)
  // Its one dependency comes from this checkout, and the types of Node for the program: the registry is not asked.
  const types = join(dirname(EFFECT), "@types/node")
  await step(empty, "npm", "install", "--offline", "--no-audit", "--no-fund", "--silent", file, EFFECT, types)
  return { folder: empty, end: () => rmSync(folder, { recursive: true, force: true }) }
}

class Package extends Context.Service<Package, Installed>()("test/ClientPackage") {}
const installed = Layer.effect(
  Package,
  Effect.acquireRelease(Effect.promise(install), ({ end }) => Effect.sync(end))
)

const missing = leftOut("the client is packed, installed and compiled against: 20 s")

layer(Layer.merge(installed, Service.layer()), { excludeTestServices: true })("the package of the typed client", (it) => {
  it.effect.skipIf(missing !== undefined)("is compiled, with types, and imports nothing of the workspace", () =>
    Effect.gen(function* () {
      const { folder } = yield* Package
      const files = readdirSync(join(folder, "node_modules/@agon/client"), { recursive: true, encoding: "utf8" })
      const sources = files.filter((name) => name.endsWith(".ts") && !name.endsWith(".d.ts"))
      assert.deepStrictEqual(sources, [])
      const compiled = files.filter((name) => name.endsWith(".js"))
      assert.includeMembers(
        files,
        compiled.map((name) => name.replace(/\.js$/, ".d.ts"))
      )
      assert.include(compiled, "dist/api/src/index.js")
      const left = yield* Effect.promise(() =>
        step(folder, "grep", "-rlE", '(from |import\\()"(@agon/|[^"]+\\.ts")', "node_modules/@agon/client/dist").catch(() => "")
      )
      assert.strictEqual(left, "")
    })
  )

  it.effect.skipIf(missing !== undefined)("compiles a program that is written against it, and the program runs against a service", () =>
    Effect.gen(function* () {
      const { folder } = yield* Package
      const { origin } = yield* Service.Service
      writeFileSync(join(folder, "program.mts"), PROGRAM)
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(CONFIG))
      yield* Effect.promise(() => step(folder, process.execPath, TSC, "-p", "."))
      const browser = new Browser()
      yield* Effect.promise(() => signIn(browser, origin, "ada"))
      const session = browser.cookie(origin, "service_session")!
      const out = yield* Effect.promise(() => step(folder, machinesNode, "out/program.mjs", origin, session))
      const { refused, ...rest } = JSON.parse(out)
      assert.deepStrictEqual(rest, { seasons: [], username: "ada", pages: 1, unasked: "function", limit: 25, isSeason: false })
      assert.match(refused, /^unknown_season: \S/)
    })
  )
})
