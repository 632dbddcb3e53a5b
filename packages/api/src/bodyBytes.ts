/**
 * The bytes that each operation's schema can use. Text is counted at 12 bytes a character, an emoji in an
 * encoding that writes only ASCII; names and ids are ASCII. Uploads of objects are not bodies of the API:
 * their signed URLs have their own limits.
 *
 * A body with a Content-Length may be larger than that, up to `BODY_BYTES_MAX`, where the caller is known: it
 * may hold unknown keys, which are ignored, or text that is refused as too long. Only so many of these are
 * read at once (http/Boundary.ts).
 */
import type { RateClass } from "./Boundary.ts"

const KIB = 1_024

/** The contract's bound of every body. */
const BODY_BYTES_MAX = KIB * KIB

/** Names, switches, times, ids: a hundred ids are 4 KiB. */
const USUAL = 16 * KIB
/** A text of 2,000 characters. */
const PARAGRAPH = 32 * KIB
/** A text of 20,000 characters. */
const ARTICLE = 256 * KIB

/** By the operation's name; operations not listed here have the usual limit. */
export const BODY_BYTES: Readonly<Record<string, number>> = {
  countView: KIB, // a kind and an id
  postComment: PARAGRAPH,
  announce: PARAGRAPH,
  editAnnouncement: PARAGRAPH,
  notify: PARAGRAPH,
  notifyEverybody: PARAGRAPH,
  submit: PARAGRAPH, // with the longest note that a season's rules may allow
  reenter: PARAGRAPH,
  editVersion: PARAGRAPH,
  writeStory: ARTICLE,
  addPost: ARTICLE,
  editPost: ARTICLE,
  addParticipants: ARTICLE, // 1,000 logins of 255
  addBoard: BODY_BYTES_MAX, // a board's file, in any layout
  createSeason: 64 * KIB, // rules, classes, administrators and providers
  editSeason: 64 * KIB,
  openSession: PARAGRAPH, // 64 engines
  heartbeat: PARAGRAPH, // 256 leases
  result: ARTICLE, // a replay of 64 KiB
  lease: BODY_BYTES_MAX // 256 results: matches of eight seats, some with their replays, or failures with 2,000 letters about each
}

export const bodyBytes = (operation: string): number => BODY_BYTES[operation] ?? USUAL

/**
 * The largest body with a Content-Length. Anybody may send an anonymous operation as many as they like: its
 * bound stays what it can use.
 */
export const declaredBodyBytes = (operation: string, rate: RateClass): number =>
  rate === "public" || rate === "signin" ? bodyBytes(operation) : BODY_BYTES_MAX
