import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { boardsOf } from "@agon/engine/registry.ts"
import { assert, describe, it, vi } from "@effect/vitest"
import { linear, stalling } from "../admission/testing/testModels.ts"
import { share } from "../worker/Instance.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"
import { compiledRuntime } from "../worker/testing/testRuntime.ts"
import { until } from "../worker/testing/testUntil.ts"
import { Ledger, PHASE } from "./Ledger.ts"
import { MatchThread } from "./MatchThread.ts"
import type { MatchWork } from "./Playing.ts"

boundedByEvents(vi)

const board = boardsOf("snakes").find(({ players }) => players === 2)!
const sizes = { planes: 12, rows: board.rows, cols: board.cols, actions: 4, flat: 0, cell: 0 }

const matchOf = async (models: ReadonlyArray<Uint8Array>, game = "snakes"): Promise<MatchWork> => ({
  module: await compiledRuntime,
  request: { game, board, seed: 1, rules: { max_turns: 20, strike_limit: 3 } },
  turns_max: 20,
  seats: models.map((weights) => ({
    weights: share(weights),
    cap_bytes: memoryCapOf(weights.length),
    sizes,
    hashes: { weights_sha256: "0".repeat(64), manifest_sha256: "0".repeat(64) }
  })),
  runtime_version: "test",
  ledger: new Ledger({ turns_max: 20, seats: models.map(() => sizes) }).buffer
})
const shapeOf = { turns_max: 20, seats: [sizes, sizes] }

describe("a thread that plays matches", () => {
  it("plays one after another, each as if it were the first", async () => {
    const thread = new MatchThread()
    const ends = [await thread.play(await matchOf([linear(1), linear(2)])), await thread.play(await matchOf([linear(2), linear(1)]))]
    const again = await thread.play(await matchOf([linear(1), linear(2)]))
    const states = [...ends, again].map((end) => (end.kind === "report" ? end.report.state_sha256 : end.error))
    assert.strictEqual(states[2], states[0])
    assert.notStrictEqual(states[1], states[0])
    assert.isTrue(thread.fit)
    thread.stop()
    assert.isFalse(thread.fit)
  })

  it("ends with what the rules threw, and is not used again", async () => {
    const thread = new MatchThread()
    const end = await thread.play(await matchOf([linear(), linear()], "chess"))
    assert.strictEqual(end.kind, "ended")
    if (end.kind === "ended") assert.match(end.error, /TypeError/)
    assert.isFalse(thread.fit)
    assert.strictEqual((await thread.play(await matchOf([linear(), linear()]))).kind, "ended")
  })

  it("ends when it is stopped in the middle of a run, and the ledger keeps its progress", async () => {
    const thread = new MatchThread()
    const match = await matchOf([linear(), stalling("run")])
    const ledger = new Ledger(shapeOf, match.ledger as SharedArrayBuffer)
    const playing = thread.play(match)
    await until(() => ledger.phase === PHASE.first_run && ledger.seat === 1)
    thread.stop()
    assert.deepStrictEqual(await playing, { kind: "ended", error: "" })
    assert.deepStrictEqual([typeof ledger.choice(0, 0), ledger.choice(0, 1)], ["number", undefined])
  })
})
