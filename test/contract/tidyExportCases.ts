/** For the rule about exports that no other file takes: what breaks it, and what only looks as if it did. */
import type { Case, Files } from "./tidyCases.ts"

/** None of these files has a user but those that are named. */
export const exportCases: ReadonlyArray<Case> = [
  [
    "a constant that nobody takes and its file uses",
    { "test/support/one.ts": "export const one = 1\nvoid one\n" },
    "test/support/one.ts:1 export",
    "here alone"
  ],
  [
    "a function that nobody uses",
    { "test/support/one.ts": "void 1\nexport function one() {}\n" },
    "test/support/one.ts:2 export",
    "one is used nowhere"
  ],
  [
    "a part of a pattern that nobody takes",
    { "test/support/one.ts": "export const { a: [one] } = { a: [1] }\n" },
    "test/support/one.ts:1 export",
    "one is"
  ],
  [
    "a type that nobody uses",
    { "test/support/One.ts": "export interface One {}\n" },
    "test/support/One.ts:1 export",
    "One is used nowhere"
  ],
  ["a class that nobody uses", { "test/support/One.ts": "export class One {}\n" }, "test/support/One.ts:1 export", "One is used nowhere"],
  [
    "a constant and its type that nobody uses, once",
    { "test/support/One.ts": "export const One = 1\nexport type One = 1\n" },
    "test/support/One.ts:1 export",
    "One is used nowhere"
  ],
  [
    "an export that is passed on and that nobody takes",
    { "test/support/one.ts": `void 1\nexport { rig as one } from "./Rig.ts"\n` },
    "test/support/one.ts:2 export",
    "one is used nowhere"
  ],
  [
    "an export of a namespace whose other members are taken",
    {
      "test/support/One.ts": "export const one = 1\nexport const two = 2\n",
      "test/one.test.ts": `import * as One from "./support/One.ts"\nvoid One.one\nvoid { two: 2 }.two\n`
    },
    "test/support/One.ts:2 export",
    "two is used nowhere"
  ]
]

export const withoutUnusedExports: Files = {
  "test/support/Named.ts": `export interface Options { readonly own: Own }\ninterface Own {}\nexport const Pair = 1\nexport type Pair = typeof Pair\nexport class Refused {}\nexport const named = (options: Options): Pair | Refused => [options, Pair, Refused].length\n`,
  "test/support/Space.ts": "export const layer = 1\nexport interface Shape {}\n",
  "test/support/all.ts": "export const all = 1\n",
  "test/support/passed.ts": "export const passed = 1\n",
  "test/support/late.ts": "export const late = 1\n",
  "test/support/typed.ts": "export type Typed = 1\n",
  "test/support/loaded.ts": "export default 1\n",
  "packages/api/src/season/Season.ts": "export const published = 1\n",
  "scripts/packedPlaces.ts": "export const place = 1\n",
  "test/users.test.ts": `import { named } from "./support/Named.ts"
import * as Space from "./support/Space.ts"
import * as all from "./support/all.ts"
const { passed } = await import("./support/passing.ts")
const of = async (typed: import("./support/typed.ts").Typed, shape: Space.Shape) => [typed, shape, await import("./support/late.ts")]
void [named, Space["layer"], Object.keys(all), passed, of]
`,
  "test/support/passing.ts": `void 1\nexport * from "./passed.ts"\n`
}
