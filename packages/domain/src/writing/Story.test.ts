import { assert, describe, it } from "vitest"
import { type Decided, decide, type Story, type Word } from "./Story.ts"

const now = "2026-01-09T00:00:00.000Z"
const [first, second] = ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z"]

const pending: Story = {
  body: "A",
  state: "pending",
  updated_at: first,
  public_body: null,
  public_updated_at: null,
  featured_at: null
}
const approved: Story = { ...pending, state: "approved", public_body: "A", public_updated_at: first }
/** A is there to be read while B waits. */
const rewritten: Story = { ...approved, body: "B", state: "pending", updated_at: second, featured_at: first }

const word = (state: Word["state"], more: Partial<Word> = {}): Word => ({ state, updated_at: undefined, featured: undefined, ...more })
const decided = (story: Story, said: Word): Decided => {
  const found = decide(story, said, now)
  return typeof found === "string" ? assert.fail(found) : found
}

describe("a moderator's word", () => {
  it("makes a text that waits the public one, or leaves it to its owner", () => {
    assert.deepStrictEqual(decided(pending, word("approved")), { story: approved, body: "A", updated_at: first, told: true })
    assert.deepStrictEqual(decided(pending, word("rejected")).story, { ...pending, state: "rejected" })
  })

  it("leaves the public text where it rejects another, and replaces it where it approves another", () => {
    assert.deepStrictEqual(decided(rewritten, word("rejected")).story, { ...rewritten, state: "rejected" })
    const { story } = decided(rewritten, word("approved"))
    assert.deepStrictEqual(story, { ...rewritten, state: "approved", public_body: "B", public_updated_at: second })
  })

  it("takes the public text back where it is about that one, and what waits goes on waiting", () => {
    const gone = { public_body: null, public_updated_at: null, featured_at: null }
    assert.deepStrictEqual(decided(approved, word("rejected")).story, { ...pending, state: "rejected" })
    assert.deepStrictEqual(decided(rewritten, word("rejected", { updated_at: first })).story, { ...rewritten, ...gone })
    assert.deepStrictEqual(decided({ ...rewritten, state: "draft" }, word("rejected")).story, { ...rewritten, state: "draft", ...gone })
  })

  it("said twice is said once: the public text is not taken back by the second rejection of another", () => {
    const once = decided(rewritten, word("rejected")).story
    assert.deepStrictEqual(decided(once, word("rejected")), { story: once, body: "B", updated_at: second, told: false })
    assert.deepStrictEqual(decided(once, word("rejected", { updated_at: second })).story, once)
    assert.isFalse(decided(approved, word("approved")).told)
    const gone = decided(approved, word("rejected", { updated_at: first })).story
    assert.deepStrictEqual(decided(gone, word("rejected", { updated_at: first })).story, gone)
  })

  it("is about the text that it names, or about none", () => {
    assert.strictEqual(decide(pending, word("approved", { updated_at: second }), now), "changed")
    assert.strictEqual(decide({ ...rewritten, state: "draft" }, word("approved", { updated_at: second }), now), "changed")
    assert.strictEqual(decided({ ...rewritten, state: "rejected" }, word("approved", { updated_at: second })).story.public_body, "B")
    assert.deepStrictEqual(decided(rewritten, word("approved", { updated_at: first })).story, rewritten)
  })

  it("is about no draft that has nothing public beside it", () => {
    assert.strictEqual(decide({ ...pending, state: "draft" }, word("approved"), now), "unknown")
  })

  it("features what is public, keeps its place while it stays, and lets it go with the text", () => {
    assert.strictEqual(decided(pending, word("approved", { featured: true })).story.featured_at, now)
    assert.strictEqual(decided(approved, word("approved", { featured: true })).story.featured_at, now)
    assert.strictEqual(decided(rewritten, word("approved", { featured: true })).story.featured_at, first)
    assert.strictEqual(decided(rewritten, word("approved")).story.featured_at, first)
    assert.isNull(decided(rewritten, word("approved", { featured: false })).story.featured_at)
    assert.isNull(decided(rewritten, word("rejected", { featured: false })).story.featured_at)
    assert.strictEqual(decided(rewritten, word("rejected", { featured: false })).story.public_body, "A")
  })
})
