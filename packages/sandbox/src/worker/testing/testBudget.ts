/**
 * Tests that run models are bounded by what they use of the processor and by what has to happen in them, both asserted. Their time on
 * the clock depends on what else the machine does and bounds nothing; this only ends one that hangs.
 */
const HANGS_AFTER_MS = 900_000

export const boundedByEvents = (vitest: {
  readonly setConfig: (config: { readonly testTimeout: number; readonly hookTimeout: number }) => void
}): void => vitest.setConfig({ testTimeout: HANGS_AFTER_MS, hookTimeout: HANGS_AFTER_MS })
