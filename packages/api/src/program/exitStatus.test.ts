import { Cause, Exit } from "effect"
import { assert, describe, it } from "vitest"
import { exitStatus } from "./exitStatus.ts"

describe("the exit status of a program", () => {
  it("is a success after a stop by a signal, which supervisors count as failed otherwise", () => {
    assert.strictEqual(exitStatus(Exit.failCause(Cause.interrupt()), undefined), 0)
    assert.strictEqual(exitStatus(Exit.failCause(Cause.interrupt()), 1), 1, "unless the program says that nobody asked for it")
  })

  it("is what the program has set where it ended by itself, and 1 where it broke", () => {
    assert.deepStrictEqual([exitStatus(Exit.void, undefined), exitStatus(Exit.void, 2)], [0, 2])
    assert.deepStrictEqual([exitStatus(Exit.fail("no"), undefined), exitStatus(Exit.die(new Error("broke")), 0)], [1, 1])
  })
})
