import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { agonHere } from "../testing/here.ts"

const folder = mkdtempSync(join(tmpdir(), "agon-session-"))
const file = join(folder, "agon", "session.json")
mkdirSync(join(folder, "agon"))

describe("a session's file that was changed by hand", () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  for (const session of ["", "a\nb", "ж", "two words"])
    it(`is refused with a sentence where its session is ${JSON.stringify(session)}, which no header takes`, async () => {
      writeFileSync(file, JSON.stringify({ url: "http://127.0.0.1:1", session, username: "ada" }))
      const { err, status } = await agonHere(["whoami"], { environment: { XDG_CONFIG_HOME: folder } })
      assert.deepStrictEqual([status, err], [2, `agon: ${file} is not a session of agon login; remove it.\n`])
    })
})
