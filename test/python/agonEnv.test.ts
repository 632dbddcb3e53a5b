/**
 * python/agon_env against the engine: its own tests, run by Debian's Python.
 * `python3 -m unittest` in python/ runs them alone.
 */
import { assert, describe, it } from "vitest"
import { missingPython, python } from "../support/python.ts"

const missing = missingPython()

describe.skipIf(missing !== undefined)(`the environments for Python${missing === undefined ? "" : ` (${missing})`}`, () => {
  it("play 1,000 matches of each game as the engine does: every state's hash, every observation, every result", async () => {
    const { status, output } = await python(["-m", "unittest", "tests.test_engine"], { folder: "python" })
    assert.strictEqual(status, 0, output)
    assert.match(output, /^1000 matches of each game, \d+ turns$/m)
  })

  it("keep to the interfaces of Gymnasium and PettingZoo, and refuse what is wrong in a sentence", async () => {
    const { status, output } = await python(["-m", "unittest", "tests.test_conventions", "tests.test_meetings"], { folder: "python" })
    assert.strictEqual(status, 0, output)
  })
})
