/** A binary heap ordered by `key`, ties by `ord`: the entry that is owed most is at index 0. */

export interface Keyed {
  readonly ord: number
  readonly key: number
}
export type Heap<A extends Keyed> = Array<A>

export const push = <A extends Keyed>(heap: Heap<A>, entry: A): void => {
  let i = heap.length
  for (let up = (i - 1) >> 1; i > 0 && before(entry, heap[up]!); up = (i - 1) >> 1) {
    heap[i] = heap[up]!
    i = up
  }
  heap[i] = entry
}

/** Makes a heap of entries in any order, in place and in linear time. */
export const heapify = <A extends Keyed>(entries: Array<A>): Heap<A> => {
  for (let i = (entries.length >> 1) - 1; i >= 0; i--) sink(entries, i, entries[i]!)
  return entries
}

export const pop = <A extends Keyed>(heap: Heap<A>): A | undefined => {
  const top = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return top
  sink(heap, 0, last)
  return top
}

/** Puts an entry into the heap at or below an empty place. */
const sink = <A extends Keyed>(heap: Heap<A>, place: number, entry: A): void => {
  let i = place
  for (let down = 2 * i + 1; down < heap.length; down = 2 * i + 1) {
    if (down + 1 < heap.length && before(heap[down + 1]!, heap[down]!)) down++
    if (!before(heap[down]!, entry)) break
    heap[i] = heap[down]!
    i = down
  }
  heap[i] = entry
}

/** Removes an entry from any place. Linear time; needed rarely (an entry leaves the ladder). */
export const remove = <A extends Keyed>(heap: Heap<A>, entry: A): void => {
  const rest = heap.filter((each) => each !== entry)
  if (rest.length === heap.length) return
  heap.length = 0
  for (const each of rest) push(heap, each)
}

/** The order of a heap, whatever that of its array: entries that are owed nothing may have equal keys. */
export const before = (a: Keyed, b: Keyed): boolean => a.key < b.key || (a.key === b.key && a.ord < b.ord)
