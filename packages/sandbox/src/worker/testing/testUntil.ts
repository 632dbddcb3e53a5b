/**
 * Waits for a condition outside the process, however long the machine takes; the test's own time
 * limit ends it if it never holds.
 */
import { setTimeout } from "node:timers/promises"

const LOOK_EVERY_MS = 5

export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await setTimeout(LOOK_EVERY_MS)
}
