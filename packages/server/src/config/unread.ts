/**
 * Names of ours in the environment that nothing reads: a variable that is misspelt has its
 * default, and nobody notices.
 */
import { variables } from "./environment.ts"

/**
 * The variables of the runner, the site and the tool, which may have one environment with the service;
 * and those of checks and tests.
 */
const OF_OTHERS = /^AGON_(URL|SESSION|RUNNER_\w+|SITE_\w+|CI|SLOW|SEED|PRINT|PREVIOUS|TEST_\w+|SIM_\w+|ENV_\w+)$/
/** Variables that begin so are ours. */
const OURS = /^AGON_/

const read: ReadonlySet<string> = new Set(Object.values(variables).map(({ name }) => name))

/** One sentence for each name that nothing reads. */
export const unread = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .filter((name) => OURS.test(name) && !read.has(name) && !OF_OTHERS.test(name))
    .toSorted()
    .map((name) => `${name}: nothing reads it; docs/operating.md#configuration has all variables`)
