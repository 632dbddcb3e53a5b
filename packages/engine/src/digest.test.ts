import { readdirSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { digestOfSources, engineDigest, sourcesFrom } from "./digest.ts"
import { engines } from "./registry.ts"

const here = new URL(".", import.meta.url)

/** A checkout in memory, below any folder. */
const checkout = (root: string, files: Readonly<Record<string, string>>) => (url: URL) => {
  const text = files[url.href.slice(root.length)]
  if (text === undefined) throw new Error(`no file ${url.href}`)
  return text
}

const game = {
  "game/game.ts":
    'import { a } from "./a.ts"\nimport type {\n  B,\n  C\n} from "../b.ts"\nimport { d } from "node:fs"\nconst x = "./not.ts"\nexport const y = "./nor.ts"\nimport "../c.ts"\n',
  "game/a.ts": '// from "./nowhere.ts"\nexport * from "../b.ts"\n',
  "b.ts": "export const b = 1\n",
  "c.ts": ""
}

describe("the digest of an engine", () => {
  it("covers every file of the engine's folder but tests and what game.ts adds to the rules, and no other game's", () => {
    const beside = ["boards.ts", "game.ts", "picture.ts"]
    for (const slug of ["snakes", "othello"]) {
      const names = sourcesFrom([new URL(`${slug}/${slug}.ts`, here)]).map((source) => source.name)
      const own = readdirSync(new URL(`${slug}/`, here)).filter((name) => !/\.test\.ts$|^testing$/.test(name) && !beside.includes(name))
      assert.includeMembers(
        names,
        own.map((name) => `${slug}/${name}`)
      )
      assert.includeMembers(names, ["Engine.ts", "Mulberry32.ts", "ranking.ts", "untrusted.ts", "sha256.ts"])
      assert.isFalse(names.some((name) => name === "drawing.ts" || beside.some((file) => name === `${slug}/${file}`)))
      assert.isFalse(names.some((name) => name.includes(slug === "snakes" ? "othello" : "snakes") || name.includes("test")))
    }
  })

  it("differs between games and is 64 hex digits", () => {
    for (const engine of engines) assert.match(engine.digest, /^[0-9a-f]{64}$/)
    assert.strictEqual(new Set(engines.map((engine) => engine.digest)).size, engines.length)
    assert.strictEqual(engineDigest("snakes/1", new URL("snakes/snakes.ts", here).href), engines[0]!.digest)
  })

  it("is that of the text's form and hash too, which nothing in the engine's folder imports", () => {
    const sources = (...entries: ReadonlyArray<string>) => sourcesFrom(entries.map((entry) => new URL(entry, here)))
    assert.strictEqual(engines[0]!.digest, digestOfSources("snakes/1", sources("snakes/snakes.ts", "canonicalJson.ts")))
    assert.notStrictEqual(engines[0]!.digest, digestOfSources("snakes/1", sources("snakes/snakes.ts")))
  })

  it("follows imports and re-exports, of types too, and nothing else", () => {
    const root = here.href
    const sources = sourcesFrom([new URL("game/game.ts", here)], checkout(root, game))
    assert.deepStrictEqual(sources.map((source) => source.name).sort(), ["b.ts", "c.ts", "game/a.ts", "game/game.ts"])
  })

  it("changes with any byte of code, with the rules version and when text moves between files", () => {
    const sources = Object.entries(game).map(([name, text]) => ({ name, text }))
    const digest = digestOfSources("1", sources)
    for (let index = 0; index < sources.length; index++) {
      const changed = sources.map((source, at) => (at === index ? { ...source, text: `${source.text} ` } : source))
      assert.notStrictEqual(digestOfSources("1", changed), digest)
    }
    assert.notStrictEqual(digestOfSources("2", sources), digest)
    const moved = [
      { name: "a", text: "1" },
      { name: "b", text: "" }
    ]
    assert.notStrictEqual(
      digestOfSources("1", moved),
      digestOfSources("1", [
        { name: "a", text: "" },
        { ...moved[1]!, text: "1" }
      ])
    )
  })

  it("does not depend on comments on lines of their own, and on nothing else that looks like one", () => {
    const of = (text: string) => digestOfSources("1", [{ name: "a", text }])
    const code = "const a = 1\n  const b = 2\n"
    for (const same of [
      "// one\nconst a = 1\n  const b = 2\n",
      "/** one\n * two\n */\nconst a = 1\n  // three\n  const b = 2\n",
      "const a = 1\n  /* one */\n  const b = 2\n"
    ])
      assert.strictEqual(of(same), of(code))
    for (const other of [
      "const a = 1 // one\n  const b = 2\n",
      "const a = 1\n/* one */ const b = 2\n",
      "const a = 1\n\n  const b = 2\n",
      "/* one */ const a = 1\n/* two */\n  const b = 2\n"
    ])
      assert.notStrictEqual(of(other), of(code))
  })

  it("does not depend on line ends or the order of files", () => {
    const sources = Object.entries(game).map(([name, text]) => ({ name, text }))
    const windows = sources.map(({ name, text }) => ({ name, text: text.replaceAll("\n", "\r\n") })).reverse()
    assert.strictEqual(digestOfSources("1", windows), digestOfSources("1", sources))
  })
})
