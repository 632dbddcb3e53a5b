/** Releases after each file: a worker runs many of them, and would keep all that they left. */
import { afterAll } from "vitest"
import { releases } from "./releases.ts"

afterAll(async () => {
  for (const release of releases) await release()
})
