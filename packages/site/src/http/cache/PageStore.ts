/**
 * Finished pages in memory, the least recently shown dropped first. Pages that a single visitor has asked for so far have a quarter of
 * the room: whoever asks for page after page turns over that quarter, and the pages that several people read stay.
 */
import type { Read } from "../Reads.ts"
import type { Rendered } from "../Rendered.ts"

const CACHE_MAX_BYTES = 32 * 1024 * 1024
const OF_ONE_VISITOR_MAX_BYTES = CACHE_MAX_BYTES / 4
/** The memory of a page besides its body and its address: its reads and headers. */
const OVERHEAD_BYTES = 16_384
/** Both compressed forms together are smaller than the plain one. */
const FORMS = 2

export interface Kept {
  readonly page: Rendered
  readonly reads: ReadonlyArray<Read>
  /** Who asked for it first. */
  readonly visitor: string | undefined
  confirmed_ms: number
}

const weightOf = (address: string, { page }: Kept) => FORMS * page.body.length + address.length + OVERHEAD_BYTES

/** Pages in the order in which they were last shown. */
const makeShelf = (bytes_max: number) => {
  const pages = new Map<string, Kept>()
  let bytes = 0
  const take = (address: string): Kept | undefined => {
    const kept = pages.get(address)
    if (kept === undefined) return undefined
    pages.delete(address)
    bytes -= weightOf(address, kept)
    return kept
  }
  const put = (address: string, kept: Kept): void => {
    take(address)
    pages.set(address, kept)
    bytes += weightOf(address, kept)
    for (const oldest of pages.keys()) {
      if (bytes <= bytes_max) break
      take(oldest)
    }
  }
  return { has: (address: string) => pages.has(address), put, take }
}

export const makePageStore = () => {
  const ofOne = makeShelf(OF_ONE_VISITOR_MAX_BYTES)
  const ofSeveral = makeShelf(CACHE_MAX_BYTES - OF_ONE_VISITOR_MAX_BYTES)
  return {
    /** For a visitor to whom it is shown. */
    get: (address: string, visitor: string | undefined): Kept | undefined => {
      const kept = ofSeveral.take(address)
      const lone = kept === undefined ? ofOne.take(address) : undefined
      if (kept !== undefined) ofSeveral.put(address, kept)
      else if (lone !== undefined) (lone.visitor === visitor ? ofOne : ofSeveral).put(address, lone)
      return kept ?? lone
    },
    keep: (address: string, kept: Kept): void => (ofSeveral.has(address) ? ofSeveral : ofOne).put(address, kept)
  }
}
