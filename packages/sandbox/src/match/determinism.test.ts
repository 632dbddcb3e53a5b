/**
 * The same match from different processes, under different levels of graph optimisation and on every installed major
 * version of Node from 20 on.
 */
import { execFile, execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, layer, vi } from "@effect/vitest"
import { Effect } from "effect"
import { leftOut } from "../../../../test/support/slow.ts"
import { Arena } from "../Arena.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { copyForOlderNode } from "./testing/testOlderNode.ts"
import { match, type Replayed } from "./testing/testReplay.ts"

boundedByEvents(vi)

const NODE_MAJOR_MIN = 20
/** The first version that runs TypeScript without a build. */
const NODE_MAJOR_TYPED = 24

interface Node {
  readonly major: number
  readonly path: string
}

const majorOf = (version: string) => Number(/^v(\d+)/.exec(version)![1])

/** This Node, and one of every other major that the PATH holds. */
const nodesAtHand = (): ReadonlyArray<Node> => {
  const nodes = new Map([[majorOf(process.version), process.execPath]])
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const path = join(folder, "node")
    if (!existsSync(path)) continue
    const major = majorOf(execFileSync(realpathSync(path), ["--version"]).toString())
    if (major >= NODE_MAJOR_MIN && !nodes.has(major)) nodes.set(major, path)
  }
  return [...nodes].map(([major, path]) => ({ major, path }))
}

const program = fileURLToPath(new URL("./testing/testReplay.ts", import.meta.url))
const replayUnder = ({ major, path }: Node) =>
  Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-node-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      const args = major >= NODE_MAJOR_TYPED ? [program] : copyForOlderNode(folder)
      const { stdout } = yield* Effect.promise(() => promisify(execFile)(path, args, { env: {} }))
      return JSON.parse(stdout) as Replayed
    })
  )

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("determinism", (it) => {
  it.effect.skipIf(leftOut("one match under every Node and level: 10 s"))(
    "ends a match in the same state in the arena and in plain processes, at every level of optimisation",
    () =>
      Effect.gen(function* () {
        const arena = yield* Arena
        const [first, again] = [yield* arena.play(match), yield* arena.play(match)]
        const others = yield* Effect.forEach(nodesAtHand(), replayUnder)
        console.info(`determinism: ${others.map(({ node }) => node).join(", ")}`)
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
