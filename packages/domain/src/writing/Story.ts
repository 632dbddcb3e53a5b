/**
 * A model's story, and what a moderator's word makes of it (docs/contract.md#stories). There are two texts of it at most: the
 * latest that its owner wrote, and the public one, which stays until another is approved or it is taken back itself.
 *
 *   draft ──submit──▶ pending ──▶ approved (the latest is the public one)
 *                        └──────▶ rejected ──▶ approved        any of them ──owner writes──▶ draft | pending
 *
 * A text is known by when it was written. A moderator's word is about one text: a rejection of the latest leaves the public one,
 * a rejection of the public one takes it back. What is a draft is its owner's alone, and no word is about it.
 */
export interface Story {
  readonly body: string
  readonly state: "draft" | "pending" | "approved" | "rejected"
  readonly updated_at: string
  readonly public_body: string | null
  readonly public_updated_at: string | null
  /** When it was first featured; null where it is not. */
  readonly featured_at: string | null
}

export interface Word {
  readonly state: "approved" | "rejected"
  /** The text that is meant, by when it was written; undefined: the latest, or where that is a draft the public one. */
  readonly updated_at: string | undefined
  /** Undefined leaves it as it is; never true of a rejection. */
  readonly featured: boolean | undefined
}

/** `told`: the owner hears of it, since the text was not already what the moderator says. */
export interface Decided {
  readonly story: Story
  /** The text that the word was about, and when it was written. */
  readonly body: string
  readonly updated_at: string
  readonly told: boolean
}

/** Whether there is a text for moderators to read. */
export const isSubmitted = ({ public_body, state }: Pick<Story, "public_body" | "state">): boolean =>
  state !== "draft" || public_body !== null

/** `unknown` where nothing was ever submitted that still stands, `changed` where the text that is meant stands no more. */
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
