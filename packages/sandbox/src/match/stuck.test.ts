/** A thread that is found stuck, and gets on before it is stopped. */
import { assert, describe, it } from "@effect/vitest"
import { Ledger, PHASE, type Phase } from "./Ledger.ts"
import type { End, MatchThread } from "./MatchThread.ts"
import type { MatchWork } from "./Playing.ts"
import { live, settle } from "./play.ts"

const sizes = { planes: 1, rows: 1, cols: 1, actions: 4, flat: 1, cell: 0 }
const TURN = 3
const LIMIT_MS = 20

/** Runs seat 0 in turn 3, or loads its model, far beyond the limit; `meanwhile` is what it still does when it is told to stop. */
const threadOf = (ledger: Ledger, meanwhile: () => void, phase: Phase = PHASE.run): Pick<MatchThread, "cpu_us" | "play" | "stop"> => {
  let end = (_: End) => {}
  return {
    play: () => {
      ledger.begin(TURN)
      ledger.enter(phase, 0, 0)
      return new Promise((resolve) => {
        end = resolve
      })
    },
    cpu_us: () => Promise.resolve(10_000 * LIMIT_MS),
    stop: () => {
      meanwhile()
      end({ kind: "ended", error: "" })
    }
  }
}

const codesAfter = async (doing: (ledger: Ledger) => void) => {
  const ledger = new Ledger({ turns_max: 10, seats: [sizes, sizes] })
  for (const { flat } of ledger.memories) flat[0] = 7
  const end = await live(
    threadOf(ledger, () => doing(ledger)),
    {} as MatchWork,
    ledger,
    () => LIMIT_MS
  )
  const wasWorking = settle(ledger, end, LIMIT_MS)
  return {
    end: end.kind,
    wasWorking,
    choices: [0, 1].map((seat) => ledger.choice(TURN, seat)),
    memory: ledger.memories.map(({ flat }) => flat[0])
  }
}

const STRUCK: Awaited<ReturnType<typeof codesAfter>> = { end: "stuck", wasWorking: true, choices: ["timeout", undefined], memory: [0, 7] }

const playedAfter = async (phase: Phase) => {
  const ledger = new Ledger({ turns_max: 10, seats: [sizes, sizes] })
  const end = await live(
    threadOf(ledger, () => {}, phase),
    {} as MatchWork,
    ledger,
    () => LIMIT_MS
  )
  settle(ledger, end, LIMIT_MS)
  return [ledger.played_ms, ledger.inferring_ms]
}

it("a run that is stuck was played for as long as it may last, and a model that is stuck as it loads was not played", async () => {
  assert.deepStrictEqual(await playedAfter(PHASE.run), [LIMIT_MS, LIMIT_MS])
  assert.deepStrictEqual(await playedAfter(PHASE.loading), [0, 0])
})

describe("a thread that is found stuck in a run", () => {
  it("costs the seat of that run a timeout", async () => {
    assert.deepStrictEqual(await codesAfter(() => {}), STRUCK)
  })

  it("costs no other seat anything if it is at that one's run when it ends, whose memory is as before it", async () => {
    const doing = (ledger: Ledger) => {
      ledger.memories[0]!.flat[0] = 8
      ledger.enter(PHASE.rules, 0, 0)
      ledger.record(TURN, 0, 2)
      ledger.enter(PHASE.run, 1, 0)
      ledger.memories[1]!.flat[0] = 8
    }
    assert.deepStrictEqual(await codesAfter(doing), STRUCK)
  })

  it("is no fault of the rules if it is at them when it ends", async () => {
    assert.deepStrictEqual(await codesAfter((ledger) => ledger.enter(PHASE.rules, 0, 0)), STRUCK)
  })
})
