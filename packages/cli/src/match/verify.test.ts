import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { agonHere, type Ended } from "../testing/here.ts"

const folder = mkdtempSync(join(tmpdir(), "agon-verify-"))
const at = (name: string) => join(folder, name)

/** A window title, a cleared screen, the one-byte introducer of the same, and a text that runs backwards. */
const STEERING = "\u001b]0;pwned\u0007\u001b[2J\u009b2J\u007f\u202e"
const SHOWN = "?]0;pwned??[2J?2J??"
const OBEYED = /[^\P{Cc}\n]|\u202e/u

const [board] = boardsOf("snakes")
const good = record(engineOf("snakes")!, board!, 1, 6).replay

/** Files of somebody else that hold characters which steer a terminal, each with the command that reads it. */
const cases: ReadonlyArray<readonly [title: string, file: string, args: ReadonlyArray<string>, said: string]> = [
  ["an unknown key of a replay", JSON.stringify({ ...good, [STEERING]: 1 }), ["verify"], `${SHOWN} is not a known key`],
  [
    "an unknown key of a replay's board",
    JSON.stringify({ ...good, board: { ...board, [STEERING]: 1 } }),
    ["verify"],
    `board.${SHOWN} is not a known key`
  ],
  [
    "a key that a replay has twice",
    `{"a\u009b\u202e":1,"a\u009b\u202e":2}`,
    ["verify"],
    'the replay has the key "a??" twice in one object'
  ],
  ["an unknown key of a replay that is watched", JSON.stringify({ ...good, [STEERING]: 1 }), ["watch"], `${SHOWN} is not a known key`],
  [
    "an unknown key of a board",
    JSON.stringify({ ...board, [STEERING]: 1 }),
    ["play", at("a.onnx"), at("a.onnx"), "--game", "snakes", "--board"],
    `The board is refused: ${SHOWN} is not a known key`
  ]
]

describe("a file of somebody else", () => {
  beforeAll(() => {
    const { manifest, weights } = zoo.find(({ name }) => name === "nibbler")!.build()
    writeFileSync(at("a.onnx"), weights)
    writeFileSync(at("a.json"), manifest)
    for (const [index, [, text]] of cases.entries()) writeFileSync(at(`${index}`), text)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  for (const [index, [title, , args, said]] of cases.entries()) {
    it(`does not steer the terminal by ${title}`, async () => {
      const { err, out, status }: Ended = await agonHere([...args, at(`${index}`)])
      assert.notStrictEqual(status, 0)
      assert.include(out + err, said)
      assert.notMatch(out + err, OBEYED)
    })
  }

  it("does not steer the terminal by the answers as JSON, which tell every character all the same", async () => {
    const { out }: Ended = await agonHere(["verify", "--json", at("0")])
    assert.notMatch(out, OBEYED)
    const { rules }: { readonly rules: { readonly problems: ReadonlyArray<{ readonly message: string; readonly path: string }> } } =
      JSON.parse(out)
    assert.isTrue(
      rules.problems.some(({ message, path }) => `${path} ${message}`.includes(STEERING)),
      out
    )
  })
})
