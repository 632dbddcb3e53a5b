import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { verify } from "@agon/engine/replay/verify.ts"
import { assert, layer, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { leftOut } from "../../../test/support/slow.ts"
import { Arena } from "./Arena.ts"
import {
  board,
  convolving,
  counting,
  dividing,
  doubling,
  failing,
  linear,
  listing,
  manifest,
  misshapen,
  stalling,
  weightClasses
} from "./admission/testing/testModels.ts"
import type { MatchReport, MatchRequest } from "./match/Match.ts"
import type { ExamineRequest } from "./Verdict.ts"
import { boundedByEvents } from "./worker/testing/testBudget.ts"
import { cpuOf_s, sandboxProcesses } from "./worker/testing/testProcesses.ts"
import { until } from "./worker/testing/testUntil.ts"

boundedByEvents(vi)

const match = (weights: ReadonlyArray<Uint8Array>, over: Partial<MatchRequest> = {}): MatchRequest => ({
  game: "snakes",
  board,
  seed: 7,
  rules: { max_turns: 40, strike_limit: 2 },
  seats: weights.map((one) => ({ weights: one, manifest: manifest(), memory_cap_bytes: memoryCapOf(one.length) })),
  move_deadline_ms: 500,
  ...over
})

const request = (weights: Uint8Array, over: Partial<ExamineRequest> = {}): ExamineRequest => ({
  game: "snakes",
  weights,
  manifest: manifest(),
  weight_classes: weightClasses,
  boards: [board, { rows: 7, cols: 19, players: 4 }],
  ...over
})

/** Over all live processes; a process is kept from one examination to the next. */
const cpuOfSandboxes_s = () => (process.platform === "linux" ? sandboxProcesses().reduce((sum, { pid }) => sum + cpuOf_s(pid), 0) : 0)

/** A process that has used this much since its start is busy with its job, which takes minutes. */
const BUSY_CPU_S = 1.2

const codes = ({ replay }: MatchReport) => replay.strikes.map(({ seat, code }) => `${seat} ${code}`)

const assertVerifies = ({ replay }: MatchReport) => {
  const check = verify(JSON.parse(JSON.stringify(replay)))
  assert.isTrue(check.ok, JSON.stringify(check))
}

const LONGEST = "computes for minutes in a run"

layer(Arena.layer({ slots: 2 }), { excludeTestServices: true })("examining", (it) => {
  it.effect("admits a plain model and reports its facts", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const verdict = yield* arena.examine(request(linear()))
      assert.deepInclude(verdict, { verdict: "admitted", param_count: 48, memory: { flat: 0, cell: 0 } })
      if (verdict.verdict === "admitted") assert.isAbove(verdict.infer_us, 0)
    })
  )

  it.effect("admits a model that lists operator sets which it does not use, as exporters write it", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      assert.deepInclude(yield* arena.examine(request(listing())), { verdict: "admitted", param_count: 48 })
    })
  )

  it.effect("admits a model with memory that fits its class", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const verdict = yield* arena.examine(request(counting(), { manifest: manifest({ memory: { flat: 1, cell: 0 } }) }))
      assert.deepInclude(verdict, { verdict: "admitted", memory: { flat: 1, cell: 0 } })
    })
  )

  for (const [what, weights, reason] of [
    ["does not exist for ONNX Runtime", linear(1, [{ opType: "Relu", input: ["nowhere"], output: ["x"] }], [], "x"), "weights_unreadable"],
    ["answers with NaN", dividing(), "not_deterministic"],
    ["fails on every board", failing(), "wrong_signature"],
    ["gives more logits than there are actions", misshapen(), "wrong_signature"],
    ["doubles its input thirty times", doubling(30), "resource_limit"],
    [LONGEST, stalling("run"), "resource_limit"],
    ["computes for minutes while it is loaded", stalling("load"), "resource_limit"]
  ] as const)
    it.effect.skipIf(what === LONGEST && leftOut(`a model that ${what}: 17 s`))(
      `rejects a model that ${what}, within 30 s of processor time`,
      () =>
        Effect.gen(function* () {
          const arena = yield* Arena
          const before = cpuOfSandboxes_s()
          const verdict = yield* arena.examine(request(weights))
          assert.deepInclude(verdict, { verdict: "rejected", reject_reason: reason })
          // Two instances of 13 s each at most, and what the process itself does.
          assert.isBelow(cpuOfSandboxes_s() - before, 30)
        })
    )

  it.effect("admits good models after all of these", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      assert.strictEqual((yield* arena.examine(request(linear()))).verdict, "admitted")
    })
  )

  it.effect("leaves no sandbox process behind when it is interrupted", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const fiber = yield* Effect.forkChild(
        Effect.all([arena.examine(request(stalling("run"))), arena.examine(request(stalling("run")))], { concurrency: 2 })
      )
      yield* Effect.promise(() => until(() => sandboxProcesses().filter(({ pid }) => cpuOf_s(pid) > BUSY_CPU_S).length === 2))
      yield* Fiber.interrupt(fiber)
      yield* Effect.promise(() => until(() => sandboxProcesses().length === 0))
      assert.lengthOf(sandboxProcesses(), 0)
    })
  )
})

layer(Arena.layer({ slots: 2 }), { excludeTestServices: true })("playing", (it) => {
  it.effect("plays a match whose replay verifies, and the same match to the same state", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const [first, again] = yield* Effect.all([arena.play(match([linear(1), linear(2)])), arena.play(match([linear(1), linear(2)]))], {
        concurrency: 2
      })
      assertVerifies(first)
      assert.deepStrictEqual(first.replay.strikes, [])
      assert.isAbove(first.turns, 10)
      assert.strictEqual(again.state_sha256, first.state_sha256)
      assert.deepStrictEqual(again.replay, first.replay)
    })
  )

  for (const [what, weights, code] of [
    ["stalls in a run", stalling("run"), "timeout"],
    ["exhausts its memory", doubling(30), "crash"],
    ["does not load", new Uint8Array(100), "crash"],
    ["fails in every run", failing(), "crash"],
    ["gives a wrong shape", misshapen(), "shape"],
    ["answers with NaN", dividing(), "non_finite"]
  ] as const)
    it.effect(`gives strikes to a model that ${what}, and affects no other seat`, () =>
      Effect.gen(function* () {
        const arena = yield* Arena
        const report = yield* arena.play(match([linear(), weights]))
        assertVerifies(report)
        assert.deepStrictEqual(codes(report), [`1 ${code}`, `1 ${code}`])
        assert.deepStrictEqual(
          report.seats.map(({ rank, strikes }) => [rank, strikes]),
          [
            [1, 0],
            [2, 2]
          ]
        )
      })
    )

  for (const file of ["", "{}", "\u0000", JSON.stringify({ format: "agon-manifest/1" })])
    it.effect(`gives strikes to a model whose manifest is ${JSON.stringify(file)}, and affects no other seat`, () =>
      Effect.gen(function* () {
        const arena = yield* Arena
        const weights = counting()
        const remembering = { weights, manifest: manifest({ memory: { flat: 1, cell: 0 } }), memory_cap_bytes: memoryCapOf(weights.length) }
        const seats = [{ ...remembering, manifest: new TextEncoder().encode(file) }, remembering]
        const report = yield* arena.play(match([], { seats }))
        assertVerifies(report)
        assert.deepStrictEqual(codes(report), ["0 crash", "0 crash"])
        assert.deepStrictEqual(
          report.seats.map(({ rank, strikes }) => [rank, strikes]),
          [
            [2, 2],
            [1, 0]
          ]
        )
      })
    )

  it.effect("feeds memory back, and keeps an innocent seat's memory through another's crashes", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const remembering = { weights: counting(), manifest: manifest({ memory: { flat: 1, cell: 0 } }), memory_cap_bytes: memoryCapOf(0) }
      const other = (weights: Uint8Array) => ({ weights, manifest: manifest(), memory_cap_bytes: memoryCapOf(weights.length) })
      const rules = { max_turns: 8, strike_limit: 20 }
      const calm = yield* arena.play(match([], { seats: [remembering, other(dividing())], rules }))
      const crashing = yield* arena.play(match([], { seats: [remembering, other(failing())], rules }))
      // Up while the count is below three, then right: the moves tell the memory.
      const own = (report: MatchReport) => report.replay.moves.map((row) => row[0])
      assert.deepStrictEqual(own(calm).slice(0, 6), [0, 0, 0, 1, 1, 1])
      assert.deepStrictEqual(own(crashing), own(calm))
    })
  )

  it.effect("gives an audit the timeouts named in its request, without waiting for them", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const timeouts = [{ turn: 3, seat: 0 }]
      const report = yield* arena.play(match([linear(1), linear(2)], { timeouts }))
      assert.deepStrictEqual(report.replay.strikes, [{ turn: 3, seat: 0, code: "timeout" }])
      assertVerifies(report)
    })
  )

  it.effect("fails with MachineFault for a board that the engine refuses and for a wrong number of seats", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const bad = yield* Effect.flip(arena.play(match([linear(), linear()], { board: { ...board, rows: 3 } })))
      assert.include(bad.detail, "rows")
      assert.strictEqual((yield* Effect.flip(arena.play(match([linear()]))))._tag, "MachineFault")
    })
  )

  it.effect("spends at most a tenth of the time outside inference with models of a few milliseconds", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const weights = convolving(32)
      const plenty = { ...board, min_food: 20, food_chance: 50 }
      const shares: Array<number> = []
      for (let i = 0; i < 3; i++) {
        const { played_ms, inferring_ms } = yield* arena.play(match([weights, weights], { board: plenty }))
        shares.push(1 - inferring_ms / played_ms)
      }
      assert.isBelow(Math.min(...shares), 0.1, String(shares))
    })
  )
})

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("the sandbox process", (it) => {
  it.effect("stays within the memory caps while models try to exhaust it", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      const arena = yield* Arena
      const exhausted = Effect.gen(function* () {
        yield* arena.examine(request(linear()))
        const before = sandboxProcesses()[0]!
        for (const times of [20, 30, 40]) assert.strictEqual((yield* arena.examine(request(doubling(times)))).verdict, "rejected")
        return { before, after: sandboxProcesses()[0]! }
      })
      // A process that had no answer in time is replaced, as it may be where others want the machine:
      // then its peak is not this one's.
      const { after, before } = yield* Effect.repeat(exhausted, { until: ({ after, before }) => after.pid === before.pid, times: 4 })
      assert.strictEqual(after.pid, before.pid)
      // Two instances of at most 64 MiB each, and what V8 needs to compile the operators that are new: 190 to
      // 270 MB in all, where 900 were seen without the caps.
      assert.isBelow(after.peak_mb - before.peak_mb, 2 * 64 + 192)
    })
  )

  it.effect("frees the memory of a match before it plays the next", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      const arena = yield* Arena
      const short = match([linear(1), linear(2)], { rules: { max_turns: 5, strike_limit: 2 } })
      for (let i = 0; i < 2; i++) yield* arena.play(short)
      const before = sandboxProcesses()[0]!
      for (let i = 0; i < 10; i++) yield* arena.play(short)
      const after = sandboxProcesses()[0]!
      assert.strictEqual(after.pid, before.pid)
      // A WebAssembly memory reserves 8 GiB of addresses, used or not; these 20 instances would
      // reserve 160 GiB if they were kept.
      assert.isBelow(after.addresses_gb - before.addresses_gb, 64)
    })
  )

  it.effect("has no environment and, where the machine permits it, no network", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      const arena = yield* Arena
      yield* arena.examine(request(linear()))
      const { pid } = sandboxProcesses()[0]!
      const names = readFileSync(`/proc/${pid}/environ`, "utf8")
        .split("\0")
        .map((entry) => entry.split("=")[0])
      // Node's channel to its parent, and the working directory that bubblewrap names.
      assert.deepStrictEqual(
        names.filter((name) => name !== "" && name !== "PWD" && !name!.startsWith("NODE_CHANNEL_")),
        []
      )
      if (arena.isolation === "process") return
      const own = execFileSync("readlink", ["/proc/self/ns/net"]).toString()
      assert.notStrictEqual(execFileSync("readlink", [`/proc/${pid}/ns/net`]).toString(), own)
    })
  )

  it.effect("is replaced when it is killed, and the job is repeated", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      const arena = yield* Arena
      const fiber = yield* Effect.forkChild(arena.play(match([linear(), stalling("run")], { rules: { max_turns: 40, strike_limit: 1 } })))
      const before = cpuOfSandboxes_s()
      yield* Effect.promise(() => until(() => cpuOfSandboxes_s() > before + BUSY_CPU_S))
      for (const { pid } of sandboxProcesses()) process.kill(pid, "SIGKILL")
      assertVerifies(yield* Fiber.join(fiber))
    })
  )
})

layer(Arena.layer({ slots: 2 }), { excludeTestServices: true })("processes killed while they have no job", (it) => {
  const short = match([linear(1), linear(2)], { rules: { max_turns: 5, strike_limit: 2 } })
  /** Two processes, both of them idle, and then killed as by the kernel that has no memory left. */
  const kill = Effect.gen(function* () {
    const arena = yield* Arena
    yield* Effect.repeat(Effect.all([arena.play(short), arena.play(short)], { concurrency: 2 }), {
      until: () => sandboxProcesses().length === 2
    })
    for (const { pid } of sandboxProcesses()) process.kill(pid, "SIGKILL")
  })

  it.effect("cost no job, even where nobody has noticed their end", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      const arena = yield* Arena
      yield* kill
      assertVerifies(yield* arena.play(short))
    })
  )

  it.effect("leave a job both of its attempts", () =>
    Effect.gen(function* () {
      if (process.platform !== "linux") return
      const arena = yield* Arena
      yield* kill
      yield* Effect.promise(() => until(() => !process.getActiveResourcesInfo().includes("ProcessWrap")))
      const fiber = yield* Effect.forkChild(arena.play(match([linear(), stalling("run")], { rules: { max_turns: 40, strike_limit: 1 } })))
      yield* Effect.promise(() => until(() => cpuOfSandboxes_s() > BUSY_CPU_S || fiber.pollUnsafe() !== undefined))
      for (const { pid } of sandboxProcesses()) process.kill(pid, "SIGKILL")
      assertVerifies(yield* Fiber.join(fiber))
    })
  )
})

layer(Arena.layer({ slots: 1, isolation: "process" }), { excludeTestServices: true })("a plain process", (it) => {
  it.effect("examines and plays on a system without namespaces", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      assert.strictEqual(arena.isolation, "process")
      assert.strictEqual((yield* arena.examine(request(linear()))).verdict, "admitted")
      assertVerifies(yield* arena.play(match([linear(), failing()])))
    })
  )
})
