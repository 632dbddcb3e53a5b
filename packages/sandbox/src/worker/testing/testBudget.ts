/**
 * Tests that run models assert their processor time and their outcome. Their time on the clock depends on the machine's
 * load and is not asserted; this limit only ends a test that hangs.
 */
const HANGS_AFTER_MS = 900_000

export const boundedByEvents = (vitest: {
  readonly setConfig: (config: { readonly testTimeout: number; readonly hookTimeout: number }) => void
}): void => vitest.setConfig({ testTimeout: HANGS_AFTER_MS, hookTimeout: HANGS_AFTER_MS })
