import { readFileSync, writeFileSync } from "node:fs"

const SCORE = "/proc/self/oom_score_adj"
/** Of 1,000. The service and its database have 0. */
const FIRST = "500"

/**
 * Where a machine or a container runs out of memory, Linux ends a process: by this one of a runner and its sandboxes, of which the one that
 * plays is the largest, rather than the service beside them. Its matches are played again. A score that somebody has set stays.
 */
export const goBeforeOthers = (score = SCORE): void => {
  try {
    if (readFileSync(score, "utf8").trim() === "0") writeFileSync(score, FIRST)
  } catch {
    // not Linux, or not ours to set
  }
}
