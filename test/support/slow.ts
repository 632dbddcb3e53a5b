/**
 * How much of the tests runs, in three levels; each has all of the one before it.
 *
 * - ordinary: everybody runs it before a commit. Of a long test that an ordinary change rarely breaks it runs a sample, or nothing.
 * - CI: everything but what is slow. `scripts/test --ci` (AGON_CI=1) and `.ci/run` (CI=true), which falls back to the ordinary
 *   level on a machine that would not be done in time.
 * - slow: more seeds, more matches, more kills. `scripts/test --slow` (AGON_SLOW=1).
 */
const isSet = (name: string): boolean => !["", "0", "false", undefined].includes(process.env[name])

export const slow = isSet("AGON_SLOW")
export const inCi = slow || isSet("AGON_CI") || isSet("CI")

/** Why an ordinary run leaves something out, which it prints; undefined in CI. */
export const leftOut = (why: string): string | undefined => {
  if (inCi) return undefined
  const reason = `${why}; CI and scripts/test --ci run it`
  console.log(`skipped: ${reason}`)
  return reason
}

/** Of a long list the first of every so many, which shows that the test works; in CI all. */
export const sample = <A>(all: ReadonlyArray<A>, every = 10): ReadonlyArray<A> => (inCi ? all : all.filter((_, i) => i % every === 0))
