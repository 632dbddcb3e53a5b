/**
 * Every kind of hostile file: those refused before they are read or run, and those that pass every
 * check and run. All of them go through one sandbox process, and its time, memory, files and
 * sockets are watched from outside.
 */
import { assert, layer, vi } from "@effect/vitest"
import { Effect } from "effect"
import { inCi, slow } from "../../../test/support/slow.ts"
import { Arena } from "./Arena.ts"
import { examineFiles } from "./admission/static.ts"
import { hostileFiles } from "./admission/testing/hostileFiles.ts"
import { chain, foldBomb, MAKERS, SIDE } from "./admission/testing/hostileModels.ts"
import { Mutator } from "./admission/testing/Mutator.ts"
import {
  board,
  convolving,
  counting,
  dividing,
  doubling,
  failing,
  linear,
  manifest,
  misshapen,
  weightClasses
} from "./admission/testing/testModels.ts"
import type { ExamineRequest, RejectReason, Verdict } from "./Verdict.ts"
import { boundedByEvents } from "./worker/testing/testBudget.ts"
import { cpuOf_s, internetSocketsNear, openIn, sandboxProcesses } from "./worker/testing/testProcesses.ts"

boundedByEvents(vi)

const LOOK_EVERY_MS = 20
const SEED = 20_261_121
const SPOILED = 60
/** Node opens these when it starts a thread: code, and the kernel's figures of available memory. */
const OWN_FILES = [/\/(packages|node_modules)\//, /^\/dev\/(null|u?random)$/, /^\/(proc\/\d+|sys\/fs)\/cgroup/, /^\/proc\/meminfo$/]
const boards = [board, { rows: 7, cols: 19, players: 4 }]

const request = (weights: Uint8Array, over: Partial<ExamineRequest> = {}): ExamineRequest => ({
  game: "snakes",
  weights,
  manifest: manifest(),
  weight_classes: weightClasses,
  boards,
  ...over
})

type Case = readonly [what: string, weights: Uint8Array, reason: string, over?: Partial<ExamineRequest> | undefined]

const bombs = (makers: ReadonlyArray<(typeof MAKERS)[number]>, side: number, atRun: boolean): ReadonlyArray<Case> =>
  makers.map((opType) => [`${opType} of ${side} squared${atRun ? " in a run" : ""}`, foldBomb(opType, side, atRun), "resource_limit"])

const cases: ReadonlyArray<Case> = [
  ...hostileFiles().map(({ what, weights, reason, over }): Case => [what, weights, reason, over]),
  ["a wrong shape", misshapen(), "wrong_signature"],
  ["NaN", dividing(), "not_deterministic"],
  ["a failing run", failing(), "wrong_signature"],
  ["doubling", doubling(30), "resource_limit"],
  ...bombs(inCi ? MAKERS : ["ConstantOfShape", "Range"], SIDE.overCap, false),
  ...bombs(inCi ? MAKERS : ["Tile"], SIDE.overflowing, true),
  ...(slow ? [...bombs(MAKERS, SIDE.overCap, true), ...bombs(MAKERS, SIDE.overflowing, false)] : [])
]

/**
 * Every reason that an examination may give. The reasons that the service adds (too_slow
 * and the like) are tested there.
 */
const REASONS: Readonly<Record<RejectReason, true>> = {
  hash_mismatch: true,
  weights_unreadable: true,
  manifest_invalid: true,
  unsupported_operator: true,
  external_data: true,
  wrong_signature: true,
  too_large: true,
  memory_over_class: true,
  not_deterministic: true,
  resource_limit: true
}

const spell = (verdict: Verdict) => (verdict.verdict === "rejected" ? verdict.reject_reason : JSON.stringify(verdict))

/** Everything that the process was seen to have open while `use` ran. */
const watching = <A>(pid: number, use: Effect.Effect<A>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const seen = new Set<string>()
      const look = () => {
        for (const link of openIn(pid)) seen.add(link)
      }
      return { seen, timer: setInterval(look, LOOK_EVERY_MS) }
    }),
    ({ seen }) => Effect.map(use, (value) => ({ value, seen })),
    ({ timer }) => Effect.sync(() => clearInterval(timer))
  )

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("a sandbox process under hostile models", (it) => {
  it.effect(
    "rejects each with its reason within 30 s of processor time, stays alive and within its caps, and opens no socket or file",
    () =>
      Effect.gen(function* () {
        if (process.platform !== "linux") return
        assert.sameMembers([...new Set(cases.map(([, , reason]) => reason))], Object.keys(REASONS))
        const arena = yield* Arena
        assert.strictEqual((yield* arena.examine(request(linear()))).verdict, "admitted")
        const before = sandboxProcesses()[0]!
        const sockets = openIn(before.pid).filter((link) => link.startsWith("socket:"))
        const run = Effect.forEach(cases, ([what, weights, , over]) =>
          Effect.gen(function* () {
            const start_s = cpuOf_s(before.pid)
            const said = spell(yield* arena.examine(request(weights, over)))
            return { what, said, cpu_s: cpuOf_s(before.pid) - start_s }
          })
        )
        const { value: results, seen } = yield* watching(before.pid, run)
        assert.deepStrictEqual(
          results.map(({ what, said }) => `${what}: ${said}`),
          cases.map(([what, , reason]) => `${what}: ${reason}`)
        )
        for (const { what, cpu_s } of results) assert.isBelow(cpu_s, 30, what)
        const after = sandboxProcesses()[0]!
        assert.strictEqual(after.pid, before.pid, "one process did it all")
        // Two instances of at most 65 MiB each, and V8's compiled code, which grows with every operator that
        // is new and then stays (five rounds of all these models: 559, 562, 801, 801, 801 MB at most).
        assert.isBelow(after.peak_mb - before.peak_mb, 2 * 65 + (slow ? 640 : inCi ? 480 : 320))
        // No socket but the channel to the parent.
        const foreign = [...seen].filter((link) => link.startsWith("/") && !OWN_FILES.some((pattern) => pattern.test(link)))
        assert.deepStrictEqual(foreign, [])
        assert.deepStrictEqual([...seen].filter((link) => link.startsWith("socket:")).sort(), [...sockets].sort())
        if (arena.isolation !== "process") assert.strictEqual(internetSocketsNear(before.pid), 0)
      })
  )

  if (slow)
    it.effect("gives a verdict on corrupted models that look valid, and stays alive", () =>
      Effect.gen(function* () {
        const arena = yield* Arena
        const mutator = new Mutator(SEED, [linear(), counting(), convolving(2)])
        const passing = Array.from({ length: 2_000 }, () => request(mutator.next())).filter((one) => examineFiles(one).ok)
        assert.isAbove(passing.length, SPOILED)
        const before = sandboxProcesses()[0]!
        for (const [at, one] of passing.slice(0, SPOILED).entries()) {
          const start_s = cpuOf_s(before.pid)
          const { verdict } = yield* arena.examine(one)
          assert.notStrictEqual(verdict, "failed", `file ${at} of seed ${SEED}`)
          assert.isBelow(cpuOf_s(before.pid) - start_s, 30, `file ${at} of seed ${SEED}`)
        }
        assert.strictEqual(sandboxProcesses()[0]!.pid, before.pid)
      })
    )

  if (slow)
    it.effect("answers in time for the longest chain of nodes that the wire scan lets through", () =>
      Effect.gen(function* () {
        const arena = yield* Arena
        const { pid } = sandboxProcesses()[0]!
        const start_s = cpuOf_s(pid)
        const said = yield* arena.examine(request(chain(19_900)))
        assert.isBelow(cpuOf_s(pid) - start_s, 30)
        assert.isTrue(said.verdict === "admitted" || spell(said) === "resource_limit", spell(said))
      })
    )
})
