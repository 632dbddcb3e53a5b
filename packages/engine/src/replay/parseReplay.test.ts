import { assert, describe, it } from "vitest"
import { cpuOf } from "../../../../test/support/cpuOf.ts"
import { canonicalJson } from "../canonicalJson.ts"
import { snakesBoards } from "../snakes/boards.ts"
import { snakes } from "../snakes/snakes.ts"
import { parseReplay, REPLAY_BYTES_MAX } from "./parseReplay.ts"
import { record } from "./testing/recorded.ts"
import { verify } from "./verify.ts"

const replay = record(snakes, snakesBoards[3]!, 1, 6).replay
const text = canonicalJson(replay)
const problem = (file: string | Uint8Array): string | null => {
  const parsed = parseReplay(typeof file === "string" ? new TextEncoder().encode(file) : file)
  return parsed.ok ? null : parsed.problems[0]!.message
}
const rewritten = (from: RegExp | string, to: string): string => {
  const changed = text.replace(from, to)
  assert.notStrictEqual(changed, text)
  return changed
}

describe("the text of a replay", () => {
  it("may have white space and any order of keys, and is then the same replay", () => {
    const reversed = Object.fromEntries(Object.entries(JSON.parse(text)).reverse())
    for (const file of [text, `\n${text} \n`, JSON.stringify(replay, null, 2), JSON.stringify(reversed)]) {
      const parsed = parseReplay(new TextEncoder().encode(file))
      assert.isTrue(parsed.ok && verify(parsed.value).ok)
    }
  })

  const others: ReadonlyArray<readonly [title: string, file: () => string, problem: string]> = [
    ["the moves twice", () => `{"moves":[],${text.slice(1)}`, 'has the key "moves" twice in one object'],
    ["a key twice that is spelled in two ways", () => `{"\\u006doves" : [],${text.slice(1)}`, 'has the key "moves" twice in one object'],
    ["a key twice inside", () => rewritten('"rules":{', '"rules":{"max_turns":5,'), 'has the key "max_turns" twice in one object'],
    ["the same thing twice", () => `${text.slice(0, -1)},"seed":${replay.seed}}`, 'has the key "seed" twice in one object'],
    [
      "a fraction that is whole",
      () => rewritten(/"seed":(\d+)/, '"seed":$1.0'),
      "has the number 1.0, which is not written as a plain whole number"
    ],
    ["an exponent", () => rewritten(/"seed":(\d+)/, '"seed":$1e0'), "has the number 1e0, which is not written as a plain whole number"],
    ["a negative zero", () => rewritten(/([[,])0([\],])/, "$1-0$2"), "has the number -0, which is not written as a plain whole number"],
    [
      "lists in lists",
      () => rewritten(/"seed":(\d+)/, `"seed":${"[".repeat(99)}$1${"]".repeat(99)}`),
      "has objects and lists in each other more than 32 deep"
    ],
    ["something after its end", () => `${text}{}`, "is not JSON"],
    ["a byte order mark", () => `\ufeff${text}`, "begins with a byte order mark, which JSON does not have"],
    ["more bytes than a replay may have", () => text.padEnd(REPLAY_BYTES_MAX + 1), `is larger than ${REPLAY_BYTES_MAX} bytes`]
  ]
  for (const [title, file, expected] of others) {
    it(`is refused with ${title}`, () => assert.strictEqual(problem(file()), expected))
  }

  it("is refused at every length that is not its whole, and where it is no UTF-8", () => {
    const bytes = new TextEncoder().encode(text)
    for (let length = 0; length < bytes.length; length += 97) assert.strictEqual(problem(bytes.subarray(0, length)), "is not JSON")
    assert.strictEqual(problem(new Uint8Array([0x22, 0xff, 0x22])), "is not JSON")
  })

  it("is read in a time that is linear in its bytes, whatever they are", () => {
    const half = REPLAY_BYTES_MAX / 8
    const files = [
      "[".repeat(half) + "]".repeat(half),
      `"${"a".repeat(half)}"`,
      `"${'\\"'.repeat(half / 2)}"`,
      `[${"0,".repeat(half / 2)}0]`,
      "9".repeat(half),
      `{${Array.from({ length: half / 16 }, (_, i) => `"key ${i}":0`).join()}}`
    ]
    for (const file of files)
      assert.isBelow(
        cpuOf(() => problem(file)),
        1_000,
        file.slice(0, 8)
      )
  })
})
