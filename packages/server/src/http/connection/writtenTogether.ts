/**
 * Answers that are ready within one turn of the event loop are written one after the other, at the latest at its end. A write wakes the
 * process that reads it, a proxy on the same machine say; where that process sleeps this is most of what the write costs, and between
 * two answers that are made one at a time it sleeps again. Of answers that are written together the first wakes it and the others find
 * it awake. An answer waits for no more than the next few of its turn, and one that is ready alone for nothing.
 */

/** Eight or a thousand are as fast, and the first waits for the last. */
const TOGETHER_MAX = 16

let ready: Array<() => void> = []

const write = () => {
  const all = ready
  ready = []
  for (const one of all) one()
}

/** Calls `one`, which must not throw, once the requests that have arrived by now are handled, or the next few of them. */
export const writtenTogether = (one: () => void): void => {
  if (ready.length === 0) setImmediate(write)
  if (ready.push(one) === TOGETHER_MAX) write()
}
