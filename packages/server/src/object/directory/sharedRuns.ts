/**
 * Runs that several callers want at about the same time, such as the flush of a directory. A run begins
 * after all the calls that it answers; those who call while it is under way share the next. Runs of
 * different keys do not wait for each other.
 */
export const sharedRuns = <A>(run: (key: string) => Promise<A>): ((key: string) => Promise<A>) => {
  /** By key: the last run, and whether it has begun. */
  const last = new Map<string, { readonly answer: Promise<A>; begun: boolean }>()

  const add = (key: string, before: Promise<unknown>): Promise<A> => {
    const begin = () => {
      added.begun = true
      return run(key).finally(() => {
        if (last.get(key) === added) last.delete(key)
      })
    }
    const added = { answer: before.then(begin, begin), begun: false }
    last.set(key, added)
    return added.answer
  }

  return (key) => {
    const now = last.get(key)
    return now !== undefined && !now.begun ? now.answer : add(key, now?.answer ?? Promise.resolve())
  }
}
