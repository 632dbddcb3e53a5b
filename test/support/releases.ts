/** Run by this worker after each file of tests. */
export const releases = new Set<() => Promise<void>>()
