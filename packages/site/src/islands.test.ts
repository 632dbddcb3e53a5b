import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ISLAND_NAMES, load, scriptTag, sources, withoutSpace } from "./islands.ts"

const folder = mkdtempSync(join(tmpdir(), "agon-islands-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** The largest script that a page may load. */
const ISLAND_BYTES_MAX = 25_000

describe("the islands", () => {
  it.live("are built once for all who start together, and found again afterwards", () =>
    Effect.gen(function* () {
      const kept = join(folder, "together")
      const [one, other] = yield* Effect.all([load(kept), load(kept)], { concurrency: "unbounded" })
      assert.deepStrictEqual([...one.files], [...other.files])
      const [name, ...more] = readdirSync(kept)
      assert.deepStrictEqual(more, [], "one file, and nothing half written")
      const written = statSync(join(kept, name!)).mtimeMs
      assert.deepStrictEqual([...(yield* load(kept)).files], [...one.files])
      assert.strictEqual(statSync(join(kept, name!)).mtimeMs, written)
    })
  )

  it.live("are built anew beside what other sources gave, and where what is kept cannot be read", () =>
    Effect.gen(function* () {
      const kept = join(folder, "stale")
      const { files } = yield* load(kept)
      const [name] = readdirSync(kept)
      writeFileSync(join(kept, name!), "{")
      writeFileSync(join(kept, "islands-0123456789abcdef.json"), "{}")
      assert.deepStrictEqual([...(yield* load(kept)).files], [...files])
      assert.deepStrictEqual(readdirSync(kept), [name])
    })
  )

  it("are built anew when a file changes that one of them imports", () => {
    const known = new Set(sources())
    const imported = [...known].flatMap((path) =>
      path.endsWith(".ts") && path !== join(import.meta.dirname, "islands.ts")
        ? [...readFileSync(path, "utf8").matchAll(/ from "(\.[^"]+)"/g)].map(([, name]) => join(dirname(path), name!))
        : []
    )
    assert.isAbove(imported.length, 50)
    assert.deepStrictEqual(
      imported.filter((path) => !known.has(path)),
      []
    )
  })

  it.live("are built in memory where nothing can be written", () =>
    Effect.gen(function* () {
      const file = join(folder, "a file")
      writeFileSync(file, "")
      assert.isAbove((yield* load(join(file, "below"))).files.size, 0)
    })
  )

  it("have styles that mean the same without the white space that people read", () => {
    const source =
      "const a = 1;  css`\n:host(:hover) .b > a, p { color: light-dark(#fff, #000) ; margin: 0 auto }\n@media (min-width: 46rem) {\n  c { d: e }\n}\n`"
    assert.strictEqual(
      withoutSpace(source),
      "const a = 1;  css`:host(:hover) .b > a,p{color:light-dark(#fff,#000);margin:0 auto}@media (min-width:46rem){c{d:e}}`"
    )
  })

  it.live("keep the script of each page small, whole, and named by its content", () =>
    Effect.gen(function* () {
      const { address, files } = yield* load()
      assert.strictEqual(files.size, ISLAND_NAMES.length, "none loads another script")
      for (const island of ISLAND_NAMES) {
        const tag = scriptTag(address(island))
        const [, name] = new RegExp(`^<script type="module" src="/assets/(${island}-[\\w-]{8,}\\.js)"></script>$`).exec(tag)!
        const { content_type, text } = files.get(name!)!
        assert.match(content_type, /^text\/javascript/)
        assert.isBelow(gzipSync(text, { level: 9 }).length, ISLAND_BYTES_MAX, island)
        assert.notInclude(text, "arena-19", "the boards of the games stay with the service")
        assert.notMatch(
          text,
          /\bimport\s*[("{*]|\beval\(|new Function|https?:\/\/(?!www\.w3\.org|lit\.dev)/,
          "nothing of elsewhere, nothing that a policy refuses"
        )
        assert.notInclude(text, "Lit is in dev mode")
      }
    })
  )
})
