/**
 * deploy/compose.yml without an engine: its commands are run with their environments, names and ports in
 * namespaces (compose.sh), and a match is rated. The images of Postgres, the S3 server and nginx are not to
 * be had; Debian's programs stand for them (composeHost.ts).
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { PATIENCE_MS } from "../support/eventually.ts"
import { missingS3 } from "../support/S3Server.ts"
import { leftOut } from "../support/slow.ts"
import { missingNginx } from "./Nginx.ts"
import * as Program from "./Program.ts"

const ROOT = join(import.meta.dirname, "../..")
const programs = ["/usr/lib/postgresql", "/usr/bin/psql", "/usr/sbin/ip", "/usr/bin/setpriv"].filter((path) => !existsSync(path))
const missing =
  leftOut("five programs are started: a quarter of a minute") ??
  missingNginx() ??
  missingS3() ??
  (programs.length > 0 ? `no ${programs.join(", ")} (see scripts/apt-packages.txt)` : undefined) ??
  (process.getuid?.() === 0 ? undefined : "only root makes the services' addresses")

describe.skipIf(missing !== undefined)(`the compose file${missing === undefined ? "" : `: ${missing}`}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "agon-compose-"))
  afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))

  it(
    "names services that start, find each other, are healthy, play a match to its rating, show it through nginx and stop in time",
    async () => {
      const [script, host] = [join(import.meta.dirname, "compose.sh"), join(import.meta.dirname, "composeHost.ts")]
      const program = Program.launch("bash", [script, ROOT, directory, process.execPath, host], {})
      const { status } = await program.ended
      assert.strictEqual(status, 0, program.log())
      const saw = program.lines().flatMap((line) => (line.startsWith(`{"saw":`) ? [JSON.parse(line).saw] : []))
      assert.includeMembers(saw, ["postgres is healthy", "service is healthy", "a match is rated"])
    },
    3 * PATIENCE_MS
  )
})
