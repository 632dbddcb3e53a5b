import { assert, describe, it } from "@effect/vitest"
import { programOf } from "./program.ts"

const APPLE = "AppleWebKit/605.1.15 (KHTML, like Gecko)"
const KHTML = "AppleWebKit/537.36 (KHTML, like Gecko)"

describe("the program behind a session", () => {
  it("is named by its browser and its system", () => {
    for (const [user_agent, name] of [
      ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
      [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/140.0.0.0 Safari/537.36`, "Chrome on Windows"],
      [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KHTML} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`, "Edge on Windows"],
      [`Mozilla/5.0 (Linux; Android 10; K) ${KHTML} Chrome/140.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
      [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/18.5 Safari/605.1.15`, "Safari on macOS"],
      [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${APPLE} Version/18.5 Mobile/15E148 Safari/604.1`, "Safari on an iPhone"],
      [`Mozilla/5.0 (X11; Linux x86_64) ${KHTML} HeadlessChrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
      ["Mozilla/5.0", "A browser"]
    ] as const)
      assert.strictEqual(programOf(user_agent), name, user_agent)
  })

  it("is named as it names itself where it is no browser", () => {
    for (const [user_agent, name] of [
      [null, "an unnamed program"],
      ["  ", "an unnamed program"],
      ["agon on rack-2", "agon on rack-2"],
      ["agon/1.2.0 (linux)", "agon 1.2.0"],
      ["curl/8.5.0", "curl 8.5.0"],
      ["python-requests/2.32.4", "python-requests 2.32.4"],
      ["a/b/c", "a/b/c"]
    ] as const)
      assert.strictEqual(programOf(user_agent), name, String(user_agent))
  })

  it("stays one short line, whatever it says", () => {
    assert.strictEqual(programOf(`\u202e\u0000<b>${"x".repeat(500)}`), `<b>${"x".repeat(57)}`)
    assert.strictEqual(programOf(`Mozilla/5.0 <script>alert(1)</script> Firefox/\u202e`), "Firefox")
  })
})
