/** The engine runs in browsers: what a page needs of it makes a small bundle, with nothing of Node's in it. */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build, type Rolldown } from "vite"
import { assert, describe, it } from "vitest"
import { othelloBoards } from "./othello/boards.ts"
import { engineOf, engines } from "./registry.ts"
import { record } from "./replay/testing/recorded.ts"
import { snakesBoards } from "./snakes/boards.ts"

const BYTES_MAX = 12_000
const ENTRY = "virtual:engine"

/** Play, pictures of positions, and verification. */
const SOURCE = `
export { engineOf, engines } from ${JSON.stringify(join(import.meta.dirname, "registry.ts"))}
export { frameAt, summarize, verify } from ${JSON.stringify(join(import.meta.dirname, "replay/verify.ts"))}
`
/** Kept from Node, as the modules would find it in a browser. */
const WITHOUT_NODE = "const globalThis = { process: undefined };"

const bundle = async (): Promise<Rolldown.OutputChunk> => {
  const built = await build({
    configFile: false,
    logLevel: "silent",
    define: { ENGINE_DIGESTS: JSON.stringify(Object.fromEntries(engines.map(({ digest, slug }) => [slug, digest]))) },
    build: { write: false, target: "es2022", rolldownOptions: { input: ENTRY, preserveEntrySignatures: "strict" } },
    plugins: [{ name: "entry", resolveId: (id) => (id === ENTRY ? id : null), load: (id) => (id === ENTRY ? SOURCE : null) }]
  })
  return (built as Rolldown.RolldownOutput).output[0]
}

describe("the engine bundled for a browser", () => {
  it("imports nothing, is under 12 kB compressed, and verifies replays of every board without Node", async () => {
    const { code, imports, dynamicImports, moduleIds } = await bundle()
    assert.deepStrictEqual([...imports, ...dynamicImports], [])
    assert.deepStrictEqual(
      moduleIds.filter((id) => !/virtual:engine|packages\/engine\/src\//.test(id)),
      []
    )
    assert.notMatch(code, /\bimport\s*[("{*]|\brequire\(|__vite/)
    assert.isBelow(gzipSync(code, { level: 9 }).length, BYTES_MAX)
    const address = `data:text/javascript,${encodeURIComponent(`${WITHOUT_NODE}${code}`)}`
    const page = (await import(/* @vite-ignore */ address)) as typeof import("./registry.ts") & typeof import("./replay/verify.ts")
    assert.deepStrictEqual(
      page.engines.map(({ digest }) => digest),
      engines.map(({ digest }) => digest)
    )
    for (const [seed, board] of [...snakesBoards, ...othelloBoards].entries()) {
      const { replay } = record(engineOf(board.format.startsWith("snakes") ? "snakes" : "othello")!, board, seed)
      const verified = page.verify(JSON.parse(JSON.stringify(replay)))
      assert.isTrue(verified.ok, JSON.stringify(verified))
      assert.isFalse(page.verify({ ...replay, seed: replay.seed + 1 }).ok)
    }
  })
})
