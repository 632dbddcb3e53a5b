/**
 * The same match from different processes, under different levels of graph optimisation and on every Node at hand that
 * runs TypeScript (24 or later; an older one is of no use to a runner either).
 */
import { execFile, execFileSync } from "node:child_process"
import { existsSync, realpathSync } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Arena } from "../Arena.ts"
import { match, type Replayed } from "./testReplay.ts"

const NODE_MAJOR_MIN = 24

/** This Node, and one of every other major from 24 on that the PATH holds. */
const nodesAtHand = (): ReadonlyArray<string> => {
  const nodes = new Map([[process.version.split(".")[0]!, process.execPath]])
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, "node")
    if (!existsSync(path)) continue
    const major = execFileSync(realpathSync(path), ["--version"]).toString().trim().split(".")[0]!
    if (Number(major.slice(1)) >= NODE_MAJOR_MIN && !nodes.has(major)) nodes.set(major, path)
  }
  return [...nodes.values()]
}

const program = fileURLToPath(new URL("./testReplay.ts", import.meta.url))
const replayUnder = (node: string) =>
  Effect.promise(() => promisify(execFile)(node, [program], { env: {} })).pipe(Effect.map(({ stdout }) => JSON.parse(stdout) as Replayed))

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("determinism", (it) => {
  it.effect("ends a match in the same state in the arena and in plain processes, at every level of optimisation", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const [first, again] = [yield* arena.play(match), yield* arena.play(match)]
      const others = yield* Effect.forEach(nodesAtHand(), replayUnder)
      assert.isAbove(first.turns, 20)
      assert.strictEqual(again.state_sha256, first.state_sha256)
      for (const { node, matches } of others) {
        assert.lengthOf(Object.keys(matches), 4)
        for (const [level, { state_sha256, logits_sha256 }] of Object.entries(matches)) {
          assert.strictEqual(state_sha256, first.state_sha256, `${level} on ${node}`)
          assert.strictEqual(logits_sha256, others[0]!.matches.all!.logits_sha256, `logits of ${level} on ${node}`)
        }
      }
    })
  )
})
