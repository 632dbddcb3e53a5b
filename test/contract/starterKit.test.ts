/** The starter kit in packages/zoo/docs says what the code does: schema, operators, refusals, classes, links. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { errorCatalogue } from "@agon/api/Errors.ts"
import { refusals, StorageFull } from "@agon/api/submission/api.ts"
import { RejectReason } from "@agon/api/version/RejectReason.ts"
import { boardsOf, engines } from "@agon/engine/registry.ts"
import { allowedOperators } from "@agon/sandbox/admission/operators.ts"
import { readManifest } from "@agon/sandbox/Manifest.ts"
import { demoWeightClasses, zoo } from "@agon/zoo/zoo.ts"
import { assert, describe, it } from "@effect/vitest"
import { satisfies } from "../support/jsonSchema.ts"

const folder = resolve(import.meta.dirname, "../../packages/zoo/docs")
const read = (name: string) => readFileSync(join(folder, name), "utf8")
/** Without the padding of its tables. */
const plain = (name: string) => read(name).replace(/ +/g, " ")
const pages = readdirSync(folder).filter((name) => name.endsWith(".md"))
const schema = JSON.parse(read("manifest.schema.json"))

/** As the sites that show these pages make them: lower case, words joined by hyphens. */
const anchorsOf = (page: string) =>
  [...page.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^a-z0-9_ -]/g, "")
      .replaceAll(" ", "-")
  )

const good = { format: "agon-manifest/1", game: "snakes", runtime: "onnx", opset: 18, memory: { flat: 0, cell: 0 } }
const { game: _, ...gameless } = good

const manifests: ReadonlyArray<readonly [boolean, string, unknown]> = [
  [true, "the least", good],
  [true, "name and description", { ...good, name: "x".repeat(64), description: "x".repeat(2000) }],
  [true, "the ends of every range", { ...good, opset: 7, memory: { flat: 1_048_576, cell: 1024 } }],
  [true, "the newest opset", { ...good, opset: 24 }],
  [
    true,
    "a whole number written with a point",
    JSON.parse('{"format":"agon-manifest/1","game":"a-1","runtime":"onnx","opset":17.0,"memory":{"flat":0,"cell":1}}')
  ],
  [false, "no object", []],
  [false, "null", null],
  [false, "another format", { ...good, format: "agon-manifest/2" }],
  [false, "no game", gameless],
  [false, "no slug", { ...good, game: "Snakes" }],
  [false, "a slug that is too long", { ...good, game: "s".repeat(65) }],
  [false, "two hyphens", { ...good, game: "a--b" }],
  [false, "another runtime", { ...good, runtime: "torch" }],
  [false, "an old opset", { ...good, opset: 6 }],
  [false, "an opset to come", { ...good, opset: 25 }],
  [false, "an opset in quotes", { ...good, opset: "18" }],
  [false, "half an opset", { ...good, opset: 17.5 }],
  [false, "an unknown key", { ...good, licence: "none" }],
  [false, "no memory", { ...good, memory: undefined }],
  [false, "memory that is a number", { ...good, memory: 0 }],
  [false, "memory without cells", { ...good, memory: { flat: 0 } }],
  [false, "memory with a third kind", { ...good, memory: { flat: 0, cell: 0, global: 0 } }],
  [false, "memory below zero", { ...good, memory: { flat: -1, cell: 0 } }],
  [false, "more memory than there is", { ...good, memory: { flat: 0, cell: 1025 } }],
  [false, "a name that is too long", { ...good, name: "x".repeat(65) }],
  [true, "a name of as many characters as it may have, each of two units", { ...good, name: "𝒶".repeat(64) }],
  [false, "a name of one more of these", { ...good, name: "𝒶".repeat(65) }],
  [false, "a description that is a list", { ...good, description: [] }]
]

/** The fields of every refusal. */
const ANY = { detail: "", retry_at: "2026-11-01T00:00:00Z", version_id: "01a20532-0000-7000-8000-000000000000" }

describe("starter kit", () => {
  it("has a schema that the manifest of every zoo model satisfies", () => {
    for (const { name, build } of zoo) assert.isTrue(satisfies(schema, JSON.parse(new TextDecoder().decode(build().manifest))), name)
    for (const example of schema.examples) assert.isTrue(satisfies(schema, example))
  })

  it("has a schema of which the reader of manifests says the same, on good ones and bad ones", () => {
    for (const [expected, what, manifest] of manifests) {
      const bytes = new TextEncoder().encode(JSON.stringify(manifest))
      const travelled = JSON.parse(new TextDecoder().decode(bytes))
      assert.strictEqual(readManifest(bytes).ok, expected, `the reader: ${what}`)
      assert.strictEqual(satisfies(schema, travelled), expected, `the schema: ${what}`)
    }
  })

  it("says for every reason of a refusal what it means, and for nothing else", () => {
    const sections = [...read("reject-reasons.md").matchAll(/^## (\S+)\n\n(?=\S)/gm)].map(([, name]) => name!)
    assert.deepStrictEqual(sections.toSorted(), [...RejectReason.literals].toSorted())
  })

  it("says for every refusal of a submission what to do, those by the state in the order of their checks", () => {
    const told = [...plain("refusals.md").matchAll(/^\| `(\w+)` \| [A-Z].*\. ?\|$/gm)].map(([, code]) => code!)
    const codesOf = (route: string) => errorCatalogue().flatMap(({ code, routes }) => (routes.includes(route) ? [code] : []))
    // Of every request with a session and a body: docs/contract.md has these.
    const general = codesOf("POST /v1/auth/device/approve")
    const own = codesOf("POST /v1/submissions").filter((code) => !general.includes(code))
    assert.deepStrictEqual(told.toSorted(), own.toSorted())
    const inOrder = [...refusals, StorageFull].map((refusal) => new refusal(ANY as never).code)
    assert.deepStrictEqual(told.slice(0, inOrder.length), inOrder)
  })

  it("lists exactly the operators that are admitted", () => {
    const [, list] = read("model-contract.md").match(/## Operators\n[\s\S]*?```text\n([\s\S]*?)```/)!
    assert.deepStrictEqual(list!.trim().split(/\s+/), [...allowedOperators].toSorted())
  })

  it("gives the planes and actions of every game, and the sizes of every class", () => {
    const [contract, limits] = [plain("model-contract.md"), plain("limits.md")]
    for (const { slug, spec } of engines) {
      const { planes, actions, rows, cols } = spec(boardsOf(slug)[0]!)
      const told = actions === rows * cols ? "H x W" : actions
      assert.include(contract, `| \`${slug}\` | ${planes} | ${told} |`)
    }
    const number = (value: number) => value.toLocaleString("en")
    for (const { class: name, max_bytes, memory_flat_bytes, memory_cell_bytes } of demoWeightClasses)
      assert.include(limits, `| ${name} | ${number(max_bytes)} bytes | ${number(memory_flat_bytes)} bytes | ${memory_cell_bytes} bytes |`)
  })

  it("has no link that leads nowhere, and an index that leads to every page", () => {
    for (const page of pages) {
      for (const [, link] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link!)) continue
        const [path, anchor] = link!.split("#")
        const target = path === "" ? join(folder, page) : resolve(dirname(join(folder, page)), path!)
        assert.isTrue(existsSync(target), `${page}: ${link}`)
        if (anchor !== undefined) assert.include(anchorsOf(readFileSync(target, "utf8")), anchor, `${page}: ${link}`)
      }
    }
    for (const page of [...pages, "manifest.schema.json"]) if (page !== "README.md") assert.include(read("README.md"), `](${page})`)
  })
})
