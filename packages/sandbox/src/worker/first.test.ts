import { assert, describe, it, vi } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { processPath } from "../places.ts"
import { type Start, startFirst } from "./first.ts"
import { commandsFor, type Isolation, permits } from "./isolation.ts"
import { SandboxProcess } from "./Process.ts"
import { boundedByEvents } from "./testing/testBudget.ts"

boundedByEvents(vi)

type Fate = "ready" | "late" | "died" | "unstarted"
const [plain] = commandsFor(processPath, "process")
const DEADLINE_MS = { ready: 60_000, late: 1, died: 60_000, unstarted: 60_000 }

/** Longer than the kernel takes an argument. */
const tooLong = { ...plain, args: ["x".repeat(1_000_000)] }

/** A real process, plain whatever the isolation, that comes up, or is not up in time, or is killed as it starts, or cannot be. */
const startWith = (fate: Fate): Effect.Effect<Start> =>
  Effect.promise(async () => {
    const process = new SandboxProcess(fate === "unstarted" ? tooLong : plain)
    const outcome = process.ready(DEADLINE_MS[fate])
    if (fate === "died") globalThis.process.kill(process.pid!, "SIGKILL")
    return { process, outcome: await outcome }
  })

/** The process that these fates of its starts lead to, the first start first, and the warnings. */
const starting = (kinds: readonly [Isolation, ...ReadonlyArray<Isolation>], fates: ReadonlyArray<Fate>) =>
  Effect.gen(function* () {
    const tried: Array<Isolation> = []
    const warnings: Array<unknown> = []
    const [first, ...others] = kinds.map((isolation) => ({ ...plain, isolation }))
    const { command, process } = yield* startFirst([first!, ...others], ({ isolation }) =>
      Effect.suspend(() => startWith(fates[tried.push(isolation) - 1]!))
    ).pipe(Effect.provide(Logger.layer([Logger.make(({ logLevel, message }) => void (logLevel === "Warn" && warnings.push(message)))])))
    const isAlive = process?.alive ?? false
    process?.kill()
    return { isolation: command.isolation, isAlive, tried, warnings: warnings.flat().filter((one) => typeof one === "string") }
  })

const WEAKER = "the sandbox is weaker than this machine permits"
const NONE = "no sandbox process has started"

describe("the first sandbox process", () => {
  it.live("has the strongest isolation, and where it was not up in time is started again under the same", () =>
    Effect.gen(function* () {
      const started = yield* starting(["bubblewrap", "process"], ["late", "late", "ready"])
      const tried = ["bubblewrap", "bubblewrap", "bubblewrap"] as const
      assert.deepStrictEqual(started, { isolation: "bubblewrap", isAlive: true, tried: [...tried], warnings: [] })
    })
  )

  it.live("has none that is weaker because the machine is too busy, however often", () =>
    Effect.gen(function* () {
      const started = yield* starting(["unshare", "process"], ["late", "died", "unstarted"])
      assert.deepStrictEqual(started, { isolation: "unshare", isAlive: false, tried: ["unshare", "unshare", "unshare"], warnings: [NONE] })
    })
  )

  it.live("has the next weaker one with a warning where the stronger one has died twice", () =>
    Effect.gen(function* () {
      const started = yield* starting(["bubblewrap", "unshare", "process"], ["died", "died", "late", "ready"])
      const tried = ["bubblewrap", "bubblewrap", "unshare", "unshare"] as const
      assert.deepStrictEqual(started, { isolation: "unshare", isAlive: true, tried: [...tried], warnings: [WEAKER] })
    })
  )
})

describe("a probe of an isolation", () => {
  it("that has no answer in time is no refusal", () => {
    assert.isTrue(permits("/bin/sh", ["-c", "sleep 60"], 50))
    assert.isFalse(permits("/bin/sh", ["-c", "exit 1"]))
    assert.isFalse(permits("/nowhere/unshare", []))
  })
})
