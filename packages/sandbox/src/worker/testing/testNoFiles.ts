/** Starts a sandbox process without a file descriptor left, and another once there are some again; prints both outcomes. */
import { closeSync, openSync } from "node:fs"
import { processPath } from "../../places.ts"
import { commandsFor } from "../isolation.ts"
import { type Outcome, SandboxProcess } from "../Process.ts"

const DEADLINE_MS = 60_000
const [plain] = commandsFor(processPath, "process")

const start = async (): Promise<Outcome> => {
  const child = new SandboxProcess(plain)
  const outcome = await child.ready(DEADLINE_MS)
  child.kill()
  return outcome
}

const taken: Array<number> = []
try {
  for (;;) taken.push(openSync("/dev/null", "r"))
} catch {}
const first = await start()
for (const file of taken) closeSync(file)
const second = await start()
process.stdout.write(JSON.stringify({ first, second }), () => process.exit(0))
