/**
 * A model's story and its moderation (docs/contract.md#stories). A story has at most two texts: the
 * latest that its owner wrote, and the public one, which stays until another is approved or a moderator takes it back.
 *
 *   draft ──submit──▶ pending ──▶ approved (the latest is the public one)
 *                        └──────▶ rejected ──▶ approved        any of them ──owner writes──▶ draft | pending
 *
 * A text is identified by when it was written. A decision is about one text: rejecting the latest leaves the
 * public one, rejecting the public one takes it back. A draft is private to its owner and is not moderated.
 */
export interface Story {
  readonly body: string
  readonly state: "draft" | "pending" | "approved" | "rejected"
  readonly updated_at: string
  readonly public_body: string | null
  readonly public_updated_at: string | null
  /** When it was first featured; null if it is not. */
  readonly featured_at: string | null
}

export interface Word {
  readonly state: "approved" | "rejected"
  /** When the text in question was written; undefined: the latest text or, if that is a draft, the public one. */
  readonly updated_at: string | undefined
  /** Undefined leaves it unchanged; never true in a rejection. */
  readonly featured: boolean | undefined
}

/** `told`: the owner is notified, which happens only if the decision changed the text's state. */
export interface Decided {
  readonly story: Story
  /** The text that was decided on, and when it was written. */
  readonly body: string
  readonly updated_at: string
  readonly told: boolean
}

/** Whether there is a text for moderators to read. */
const isSubmitted = ({ public_body, state }: Pick<Story, "public_body" | "state">): boolean => state !== "draft" || public_body !== null

/** `unknown`: there is no submitted text; `changed`: the text in question no longer exists. */
export const decide = (story: Story, word: Word, now: string): Decided | "unknown" | "changed" => {
  if (!isSubmitted(story)) return "unknown"
  const text = meant(story, word.updated_at)
  if (text === undefined) return "changed"
  return text === "latest" ? ofLatest(story, word, now) : ofPublic(story, word, now)
}

const meant = (story: Story, updated_at: string | undefined): "latest" | "public" | undefined => {
  const waits = story.state === "pending" || story.state === "rejected"
  if (updated_at === undefined) return waits ? "latest" : "public"
  if (waits && updated_at === story.updated_at) return "latest"
  return updated_at === story.public_updated_at ? "public" : undefined
}

const featuredAt = ({ featured_at }: Story, { featured }: Word, now: string): string | null =>
  featured === undefined ? featured_at : featured ? (featured_at ?? now) : null

const ofLatest = (story: Story, word: Word, now: string): Decided => {
  const { body, updated_at } = story
  const featured_at = featuredAt(story, word, now)
  const shown = word.state === "approved" ? { public_body: body, public_updated_at: updated_at } : {}
  return { story: { ...story, ...shown, state: word.state, featured_at }, body, updated_at, told: story.state !== word.state }
}

const ofPublic = (story: Story, word: Word, now: string): Decided => {
  const text = { body: story.public_body!, updated_at: story.public_updated_at! }
  if (word.state === "approved") return { ...text, story: { ...story, featured_at: featuredAt(story, word, now) }, told: false }
  const state = story.state === "approved" ? "rejected" : story.state
  return { ...text, story: { ...story, state, public_body: null, public_updated_at: null, featured_at: null }, told: true }
}
