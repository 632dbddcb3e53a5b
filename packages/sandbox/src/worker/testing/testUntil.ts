/** Waits until something outside has come about, however long the machine takes for it; the test's own backstop ends what never does. */
import { setTimeout } from "node:timers/promises"

const LOOK_EVERY_MS = 5

export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await setTimeout(LOOK_EVERY_MS)
}
