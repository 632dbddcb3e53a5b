/** A small repository that keeps every rule of tidy, and what breaks each rule once. */
export type Files = Readonly<Record<string, string>>

export const manifest = (folder: string, dependencies: Readonly<Record<string, string>> = {}) =>
  JSON.stringify({ name: `@agon/${folder}`, dependencies }, null, 2)

export const lines = (count: number) => "void 0\n".repeat(count)

/** Every package is used as the table allows, so that a rule which cries wolf is seen here. */
export const clean: Files = {
  "package.json": JSON.stringify({ name: "agon", devDependencies: { vitest: "5.1.1" } }),
  "packages/domain/package.json": manifest("domain"),
  "packages/domain/src/season/Season.ts": `export interface Season { readonly id: string }\nexport const now = (at: Date) => new Date(at)\n`,
  "packages/domain/src/season/Season.test.ts": `import { it } from "vitest"\nimport { now } from "./Season.ts"\nit("tells", () => { now(new Date()); console.log(Math.random()) })\n`,
  "packages/engine/package.json": manifest("engine"),
  "packages/engine/src/tag/game.ts": `/** What is it? Somewhat, What-Not or \`What is code.\` */\nexport const game = "<h2>What to do</h2> It is off."\n`,
  "packages/engine/README.md":
    "# What it is\n\nWhat does it do? It steps. [What it is](#what-it-is)\n\n```\nA. What is here is code.\n```\n",
  "packages/zoo/src/tag/designs.ts": "export const designs = 1\n",
  "packages/engine/src/Engine.ts": `export const text = "Date.now() import './nowhere.ts' process.env" // console.log()\n`,
  "packages/api/package.json": manifest("api", { "@agon/domain": "0.1.0", effect: "4.1.0" }),
  "packages/api/src/index.ts": `export * from "./season/api.ts"\n`,
  "packages/api/src/season/api.ts": `import type { Season } from "@agon/domain/season/Season.ts"\nimport { Schema } from "effect"\nexport const id = (season: Season) => [season.id, Schema]\n`,
  "packages/server/package.json": manifest("server", { "@agon/api": "0.1.0", pg: "8.23.1" }),
  "packages/server/src/main.ts": `import { id } from "@agon/api/season/api.ts"\nconsole.log(id, process.env.PORT, Date.now())\n`,
  "packages/server/src/database/Clock.ts": `import { Client } from "pg"\nexport const started = [Date.now(), Client]\n`,
  "packages/server/src/database/migrations/0001.sql": "--\n".repeat(600),
  "packages/onnx/package.json": manifest("onnx"),
  "packages/onnx/src/generated/onnx_pb.ts": "export const x = Math.random()\n".repeat(1).concat("//\n".repeat(900)),
  "scripts/tidy/adapters.txt": "# path calls reason\npackages/server/src/database/Clock.ts Date.now The driver wants milliseconds.\n",
  "scripts/start.ts": "console.log(process.env.HOME)\n",
  "test/support/Rig.ts": "export const rig = 1\n",
  "test/support/conformance.ts": `import { it, layer } from "vitest"\nexport const conformance = () => layer(1)("all", () => {\nit("a", () => {})\n${lines(70)}})\nexport function more() {\nit.skip("b", () => {})\n${lines(70)}}\n`,
  "packages/server/src/season/Hall.ts": `import { room } from "./actor/Room.ts"\nexport const hall = room\n`,
  "packages/server/src/season/actor/Room.ts": `import { far } from "../Far.ts"\nexport const room = far\n`,
  "packages/server/src/season/Far.ts": "export const far = 1\n",
  "packages/server/src/season/actor/Room.test.ts": `import { up } from "../../admin/Up.ts"\nvoid up\n`,
  "packages/server/src/admin/Up.ts": `import { room } from "../season/actor/Room.ts"\nexport const up = room\n`,
  "packages/server/src/testing/Rig.ts": `import { it } from "vitest"\nexport const rig = [it, Date.now()]\n`,
  "packages/server/src/season/Seasons.test.ts": `import { rig } from "../testing/Rig.ts"\nvoid rig\n`,
  "test/e2e/season.test.ts": `import { started } from "@agon/server/database/Clock.ts"\nimport { rig } from "../support/Rig.ts"\nimport { it } from "vitest"\nit("runs", () => { if (started === undefined) throw rig })\n`
}

const machine = (...parts: ReadonlyArray<string>) => ["", ...parts, ""].join("/")
/** Not written in one word, or this file would cite it. */
const document = ["docs", "rules.md"].join("/")
const season = "packages/domain/src/season/Season.ts"
export const http = "packages/server/src/http/Edge.ts"

export type Case = readonly [title: string, files: Files, place: string, says: string]

export const floorCases: ReadonlyArray<Case> = [
  [
    "a package outside the floor plan",
    { "packages/extra/package.json": manifest("extra") },
    "packages/extra/package.json:1 floor",
    "not in the floor plan"
  ],
  [
    "an import that the table forbids",
    {
      "packages/domain/src/game/Game.test.ts": `\nimport { text } from "@agon/engine/Engine.ts"\nvoid text\n`,
      "package.json": JSON.stringify({ devDependencies: { vitest: "5.1.1", "@agon/engine": "0.1.0" } })
    },
    "packages/domain/src/game/Game.test.ts:2 floor",
    "domain may not import engine"
  ],
  [
    "an import of types that the table forbids",
    {
      [season]: `import type { text } from "../../../engine/src/Engine.ts"\nexport const now = (at: typeof text) => at\nexport type Season = { id: string }\n`
    },
    `${season}:1 floor`,
    "leaves the package"
  ],
  [
    "a type named by import()",
    { [http]: `export type Text = import("../../../engine/src/Engine.ts").Text\n` },
    `${http}:1 floor`,
    "leaves the package"
  ],
  [
    "a dynamic import out of the package",
    { [http]: "export const text = () => import(`../../../engine/src/Engine.ts`)\n" },
    `${http}:1 floor`,
    "leaves the package"
  ],
  [
    "a worker's address out of the package",
    { [http]: `new URL("../../../engine/src/Engine.ts", import.meta.url)\n` },
    `${http}:1 floor`,
    "leaves the package"
  ],
  [
    "a re-export out of the package",
    { [http]: `export const a = 1\nexport { text } from "../../../engine/src/Engine.ts"\n` },
    `${http}:2 floor`,
    "leaves the package"
  ],
  [
    "a manifest that promises what the table forbids",
    { "packages/engine/package.json": JSON.stringify({ devDependencies: { "@agon/domain": "0.1.0" } }) },
    "packages/engine/package.json:1 floor",
    "engine may not import domain"
  ],
  ["a path of one machine as an import", { [http]: `import "/opt/agon/x.ts"\n` }, `${http}:1 floor`, "path of one machine"],
  [
    "a module of Node in the pure domain",
    { [season]: `${clean[season]}import { readFileSync } from "node:fs"\nvoid readFileSync\n` },
    `${season}:3 floor`,
    "pure"
  ],
  [
    "a script that imports test/support",
    { "scripts/start.ts": `import "../test/support/Rig.ts"\n` },
    "scripts/start.ts:1 floor",
    "only tests may import test/support"
  ],
  [
    "product code that imports its package's test support",
    { [http]: `import { rig } from "../testing/Rig.ts"\nvoid rig\n` },
    `${http}:1 floor`,
    "only tests may import packages/server/src/testing"
  ],
  [
    "a long function of a test that groups none",
    { "test/support/Rig.ts": `export function rig() {\n${lines(70)}}\n` },
    "test/support/Rig.ts:1 function-size",
    "rig has 72 lines"
  ],
  [
    "a package that imports test/support",
    { [http]: `import "../../../../test/support/Rig.ts"\n` },
    `${http}:1 floor`,
    "only tests may import test/support"
  ]
]

export const otherCases: ReadonlyArray<Case> = [
  [
    "files that import each other, types included",
    {
      "packages/server/src/http/A.ts": `import type { b } from "./B.ts"\nexport const a = (of: typeof b) => of\n`,
      "packages/server/src/http/B.ts": `import { a } from "./A.ts"\nexport const b = a\n`
    },
    "packages/server/src/http/A.ts:1 cycle",
    "http/A.ts -> packages/server/src/http/B.ts -> packages/server/src/http/A.ts"
  ],
  [
    "folders that need each other, though no two files do",
    {
      "packages/server/src/http/A.ts": `import { b } from "../database/B.ts"\nexport const a = b\n`,
      "packages/server/src/database/B.ts": "export const b = 1\n",
      "packages/server/src/database/C.ts": `import type { d } from "../config/D.ts"\nexport const c = (of: typeof d) => of\n`,
      "packages/server/src/config/D.ts": `import { e } from "../http/E.ts"\nexport const d = e\n`,
      "packages/server/src/http/E.ts": "export const e = 1\n"
    },
    "packages/server/src/config/D.ts:1 cycle",
    "between folders: packages/server/src/config -> packages/server/src/http -> packages/server/src/database -> packages/server/src/config"
  ],
  [
    "folders inside a folder that need each other",
    {
      "packages/server/src/season/actor/A.ts": `import { b } from "../store/B.ts"\nexport const a = b\n`,
      "packages/server/src/season/store/B.ts": "export const b = 1\n",
      "packages/server/src/season/store/C.ts": `import { d } from "../actor/D.ts"\nexport const c = d\n`,
      "packages/server/src/season/actor/D.ts": "export const d = 1\n"
    },
    "packages/server/src/season/actor/A.ts:1 cycle",
    "between folders: packages/server/src/season/actor -> packages/server/src/season/store -> packages/server/src/season/actor"
  ],
  [
    "an undeclared dependency",
    { [http]: `import { Effect } from "effect/Effect"\nvoid Effect\n` },
    `${http}:1 dependency`,
    "effect is not declared"
  ],
  [
    "an undeclared package of ours",
    { [http]: `import { text } from "@agon/engine/Engine.ts"\nvoid text\n` },
    `${http}:1 dependency`,
    "@agon/engine is not declared"
  ],
  [
    "a dependency for development in product code",
    { [http]: `import { it } from "vitest"\nvoid it\n` },
    `${http}:1 dependency`,
    "vitest is not declared"
  ],
  [
    "an undeclared dependency of a script",
    { "scripts/start.ts": `import "left-pad"\n` },
    "scripts/start.ts:1 dependency",
    "declared nowhere"
  ],
  [
    "a dependency that nothing imports",
    { "packages/engine/package.json": manifest("engine", { effect: "4.1.0" }) },
    "packages/engine/package.json:4 dependency",
    "effect is declared but never imported"
  ],
  [
    "a dependency at a range of versions",
    { "package.json": JSON.stringify({ devDependencies: { vitest: "^5.1.1" } }) },
    "package.json:1 dependency",
    "pin one exact version"
  ],
  ["a file over 500 lines", { [http]: lines(501) }, `${http}:501 file-size`, "501 lines"],
  ["a function over 70 lines", { [http]: `export const long = () => {\n${lines(70)}}\n` }, `${http}:1 function-size`, "long has 72 lines"],
  [
    "a method over 70 lines",
    { [http]: `export class A {\n  long() {\n${lines(70)}}\n}\n` },
    `${http}:2 function-size`,
    "long has 72 lines"
  ],
  [
    "a generator over 70 lines",
    { [http]: `declare const gen: (body: () => unknown) => unknown\nexport const long = gen(function* () {\n${lines(70)}})\n` },
    `${http}:2 function-size`,
    "72 lines"
  ],
  ["Date.now", { [http]: "\nexport const at = Date.now()\n" }, `${http}:2 banned-call`, "Date.now"],
  ["Date.now handed on", { [http]: "export const clock = globalThis.Date[`now`]\n" }, `${http}:1 banned-call`, "Date.now"],
  ["new Date without argument", { [http]: "export const at = new Date\n" }, `${http}:1 banned-call`, "new Date"],
  ["Math.random", { [http]: "export const draw = Math.random\n" }, `${http}:1 banned-call`, "Math.random"],
  ["process.env", { [http]: `export const port = process.env["PORT"]\n` }, `${http}:1 banned-call`, "process.env"],
  ["an environment imported", { [http]: `import { env } from "node:process"\nvoid env\n` }, `${http}:1 banned-call`, "process.env"],
  [
    "an environment taken out of process",
    { [http]: "export const { pid, env: mine } = process\n" },
    `${http}:1 banned-call`,
    "process.env"
  ],
  ["console", { [http]: "// console.log()\nconsole.error(`${console}`)\n" }, `${http}:2 banned-call`, "console"],
  [
    "an adapter without a reason",
    { "scripts/tidy/adapters.txt": "packages/server/src/database/Clock.ts Date.now\n" },
    "scripts/tidy/adapters.txt:1 adapter",
    "say why"
  ],
  [
    "an adapter that is none",
    { "scripts/tidy/adapters.txt": `${clean["scripts/tidy/adapters.txt"]}packages/gone.ts console Gone.\n` },
    "scripts/tidy/adapters.txt:3 adapter",
    "makes no call of console"
  ],
  [
    "an adapter that makes other calls than listed",
    {
      "packages/server/src/database/Clock.ts": `import { Client } from "pg"\nexport const started = [Date.now(), Client, Math.random()]\n`
    },
    "packages/server/src/database/Clock.ts:2 banned-call",
    "Math.random"
  ],
  [
    "a file of utils",
    { "packages/server/src/http/stringUtils.ts": "export const a = 1\n" },
    "packages/server/src/http/stringUtils.ts:1 name",
    "Utils"
  ],
  ["a file of common things", { "test/support/common.ts": "export const a = 1\n" }, "test/support/common.ts:1 name", "common"],
  [
    "a manager",
    { "packages/server/src/season/SeasonManager.ts": "export const a = 1\n" },
    "packages/server/src/season/SeasonManager.ts:1 name",
    "Manager"
  ],
  ["a folder of helpers", { "test/helpers/Rig.ts": "export const a = 1\n" }, "test/helpers/Rig.ts:1 name", "helpers"],
  [
    "a Live suffix",
    { "packages/server/src/season/SeasonsLive.ts": "export const a = 1\n" },
    "packages/server/src/season/SeasonsLive.ts:1 name",
    "Live"
  ],
  [
    "a folder of the engine without a game",
    { "packages/engine/src/chase/Board.ts": "export const a = 1\n" },
    "packages/engine/src/chase/Board.ts:1 folder",
    "neither a feature nor infrastructure of engine"
  ],
  [
    "a folder in the plural",
    { "packages/server/src/seasons/Season.ts": "export const a = 1\n" },
    "packages/server/src/seasons/Season.ts:1 folder",
    "neither a feature"
  ],
  [
    "another package's infrastructure",
    { "packages/domain/src/http/Edge.ts": "export const a = 1\n" },
    "packages/domain/src/http/Edge.ts:1 folder",
    "neither a feature"
  ],
  [
    "a nested folder in upper case",
    { "packages/server/src/season/Actor/Mailbox.ts": "export const a = 1\n" },
    "packages/server/src/season/Actor/Mailbox.ts:1 folder",
    "lower-case and singular"
  ],
  [
    "a barrel",
    { "packages/server/src/season/index.ts": `export * from "../main.ts"\n` },
    "packages/server/src/season/index.ts:1 barrel",
    "only re-exports"
  ],
  [
    "a barrel by way of imports",
    { "packages/server/src/season/all.ts": `import { a } from "../main.ts"\nexport { a }\n` },
    "packages/server/src/season/all.ts:1 barrel",
    "only re-exports"
  ],
  [
    "a second public entry",
    { "packages/api/src/types.ts": `export type { id } from "./season/api.ts"\n` },
    "packages/api/src/types.ts:1 barrel",
    "already has a public entry"
  ],
  [
    "the whole of a package that loads much",
    {
      "packages/server/package.json": manifest("server", { "@agon/api": "0.1.0", "@effect/platform-node": "4.1.0", pg: "8.23.1" }),
      "packages/server/src/http/Edge.ts": `import { layer } from "@effect/platform-node/NodeHttpServer"\nimport { NodeRuntime } from "@effect/platform-node"\nexport const all = [layer, NodeRuntime]\n`
    },
    "packages/server/src/http/Edge.ts:2 whole",
    "import a module of @effect/platform-node"
  ],
  [
    "a path of the author's machine",
    { "README.md": `\nSee ${machine("work", "agon")}README.md.\n` },
    "README.md:2 machine",
    "path of one machine"
  ],
  [
    "a home folder",
    { "packages/server/src/http/a.json": `["${machine("root", ".cache")}"]` },
    "packages/server/src/http/a.json:1 machine",
    "path of one machine"
  ],
  [
    "a registry's host",
    { "package-lock.json": `{ "resolved": "https://${["registry", "npmjs", "org"].join(".")}/effect" }` },
    "package-lock.json:1 machine",
    "registry"
  ],
  [
    "a lock file without another machine's package",
    {
      "package-lock.json": JSON.stringify({
        packages: {
          "node_modules/a": { integrity: "sha512-a", optionalDependencies: { "a-linux-x64": "1.0.0", "a-win32-x64": "1.0.0" } },
          "node_modules/a/node_modules/a-linux-x64": { integrity: "sha512-b" }
        }
      })
    },
    "package-lock.json:1 lock",
    "no entry node_modules/a-win32-x64"
  ],
  [
    "a lock file that does not hold a package to its content",
    {
      "package-lock.json": JSON.stringify({
        packages: {
          "": {},
          "packages/api": {},
          "node_modules/@agon/api": { link: true },
          "node_modules/a": { version: "1.0.0" }
        }
      })
    },
    "package-lock.json:1 lock",
    "node_modules/a has no integrity"
  ],
  [
    "a lock file that does not hold another machine's binary to its content",
    { "package-lock.json": JSON.stringify({ packages: { "node_modules/a-win32-x64": { dev: true, optional: true } } }) },
    "package-lock.json:1 lock",
    "node_modules/a-win32-x64 has no integrity"
  ],
  [
    "a comment that names a file by another folder",
    {
      "packages/server/src/http/A.ts": "export const a = 1\n",
      [http]: "/** After A.ts and server/http/A.ts, not `*.test.ts`:\n * database/A.ts. */\nexport const b = 1\n"
    },
    `${http}:2 mention`,
    "no file is named database/A.ts"
  ],
  [
    "a file of configuration that names a file which is gone",
    { "scripts/proxy.conf": "# As in season/Far.ts and server/season/Far.ts.\nlisten 80; # season/Near.ts\n" },
    "scripts/proxy.conf:2 mention",
    "no file is named season/Near.ts"
  ],
  [
    "a comment that begins with a clause",
    { [http]: "/**\n * One stays.\n * - (docs.) What\n *   waits is lost.\n */\nexport const a = 1\n" },
    `${http}:3 headless`,
    '"What waits" begins a sentence'
  ],
  [
    "a sentence that begins with a clause at the end of one line of comments",
    { [http]: "// One stays, but others leave. What\n// waits is lost. What for?\nexport const a = 1\n" },
    `${http}:1 headless`,
    '"What waits" begins a sentence'
  ],
  [
    "a text of a program whose second sentence begins with a clause",
    { [http]: "export const off = (why: string) => `<h2>What to do</h2>\n<p>${why} is off. What waits is lost.</p>`\n" },
    `${http}:2 headless`,
    '"What waits" begins a sentence'
  ],
  [
    "a cell of a document that begins with a clause",
    { [document]: "# What it is\n\n| What next? | when |\n| --- | --- |\n| all | What waits is lost |\n" },
    `${document}:5 headless`,
    '"What waits" begins a sentence'
  ],
  [
    "a clause right below a heading",
    { [document]: "# What it is\nWhat waits is lost.\n" },
    `${document}:2 headless`,
    '"What waits" begins a sentence'
  ],
  [
    "a script whose first comment begins with a clause",
    { "scripts/start": "#!/bin/sh\n# What runs is left alone.\n" },
    "scripts/start:2 headless",
    '"What runs" begins a sentence'
  ],
  [
    "a docstring that begins with a clause",
    { "python/a.py": 'def a():\n    """What runs is left alone."""\n' },
    "python/a.py:2 headless",
    '"What runs" begins a sentence'
  ],
  [
    "a style that says what it is for by a clause",
    { "packages/server/src/http/a.css": "/* What runs. */\n" },
    "packages/server/src/http/a.css:1 headless",
    '"What runs" begins a sentence'
  ],
  [
    "a citation of a heading that is not there",
    { [document]: "# Rules\n\n## The end\n", [http]: `// ${document}#the-end\n// ${document}#the-beginning\n` },
    `${http}:2 citation`,
    `${document} has no heading #the-beginning`
  ],
  [
    "a citation of a document that is not there",
    { [http]: `// ${document}#the-end\n` },
    `${http}:1 citation`,
    `${document} is not in the repository`
  ],
  [
    "a link between documents that leads nowhere",
    { [document]: "# Rules\n\n```\n[a](nowhere.md)\n```\n\n[all](../README.md) [none](#the-end)\n", "README.md": "# Agon\n" },
    `${document}:7 citation`,
    `${document} has no heading #the-end`
  ],
  [
    "a picture that is not there, among those that are",
    { [document]: "# Rules\n\n![one](images/one.png) ![two](images/two.png)\n", "docs/images/one.png": "\0PNG" },
    `${document}:3 citation`,
    "docs/images/two.png is not in the repository"
  ],
  [
    "a citation of a page that the repository never had",
    { [http]: `// ${["DECISION", "S"].join("")} section 2\n` },
    `${http}:1 citation`,
    "is not in the repository"
  ],
  [
    "two headings of one name in a document",
    { [document]: "# Rules\n\n## Moves\n\n## Moves\n" },
    `${document}:5 citation`,
    "has two headings #moves"
  ],
  [
    "a statement that decides for itself which seasons are public",
    { "packages/server/src/season/queries.ts": "export const all = `SELECT id\n  FROM season s WHERE s.visibility = 'public'`\n" },
    "packages/server/src/season/queries.ts:2 visibility",
    "take publicOnly, sees or entry from packages/server/src/database/visibility.ts"
  ],
  [
    "a statement that decides for itself which versions are published",
    { [http]: "export const seen = `v.status IN ('entered', 'superseded', 'disabled')`\n" },
    `${http}:1 visibility`,
    "take published or seesVersion"
  ],
  [
    "a statement that decides for itself which matches count",
    { [http]: "export const seen = `m.status = 'rated'`\n" },
    `${http}:1 visibility`,
    "take counts or seesMatch"
  ],
  ["a file that does not parse", { [http]: "export const = 1\n" }, `${http}:1 syntax`, ""]
]
