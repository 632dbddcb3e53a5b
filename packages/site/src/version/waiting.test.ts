import { assert, describe, it } from "@effect/vitest"
import { awaited } from "./waiting.ts"

const textOf = (version: Parameters<typeof awaited>[0]) => String(awaited(version)).trim()

describe("what a version waits for", () => {
  it("is said with who is before it and how long that takes", () => {
    assert.strictEqual(
      textOf({ waiting: { reason: "admission_queue", ahead: 3, eta_s: [30, 290] } }),
      "<p>It waits for its review. Before it: 3. That takes 30 seconds to 5 minutes.</p>"
    )
    assert.strictEqual(
      textOf({ waiting: { reason: "trial", ahead: 0, eta_s: [61, 119] } }),
      "<p>It waits for its trial matches. That takes 2 minutes.</p>"
    )
    assert.strictEqual(textOf({ waiting: null, next_match_eta_s: [4_000, 200_000] }), "<p>Its next match begins in 2 hours to 3 days.</p>")
  })

  it("is nothing where the service says nothing, and its own word where the reason is a new one", () => {
    assert.strictEqual(textOf({}), "")
    assert.strictEqual(textOf({ waiting: null, next_match_eta_s: null }), "")
    assert.strictEqual(textOf({ waiting: { reason: "no_<ill>", eta_s: null } }), "<p>It waits: no &lt;ill&gt;.</p>")
  })
})
