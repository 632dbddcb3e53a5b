import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { listening } from "../../../test/support/listening.ts"
import { printingFit } from "./TerminalConsole.ts"
import { agonHere } from "./testing/here.ts"

/**
 * A window title, a cleared screen, both with the introducers of one byte too, a delete, ends of lines for terminals and for editors,
 * marks and overrides of direction.
 */
const STEERING = "\u001b]0;pwned\u0007\u001b[2J\u009d0;pwned\u009c\u009b2J\u007f\r\u2028\u200f\u061c\u202e\u2066"
const OBEYED = /[^\P{Cc}\n]|[\p{Zl}\p{Zp}\p{Bidi_Control}]/u

const folder = mkdtempSync(join(tmpdir(), "agon-console-"))
const environment = { XDG_CONFIG_HOME: folder }
const ID = "01900000-0000-7000-8000-000000000001"

const account = {
  ...{ id: ID, username: "ada", display_name: `Ada ${STEERING}`, bio: STEERING, admin: false, season_admin: [], identities: [] },
  created_at: "2026-01-01T00:00:00.000Z"
}
const rejected = {
  ...{ version_id: ID, model_id: ID, model: `Hydra ${STEERING}`, owner: "ada", game: "snakes", season: "one", version: 1 },
  ...{ status: "rejected", phase: null, admit_attempt: 1, successor: null, reject_reason: "too_large", note: STEERING, baseline: false },
  ...{ weights_hash: "", manifest_hash: "", class: null, class_max_bytes: null, class_memory_flat_bytes: null, trial: null },
  ...{ class_memory_cell_bytes: null, size_bytes: null, memory_bytes: null, param_count: null, infer_us: null, runtime_version: null },
  ...{ ratings: {}, created_at: "2026-01-01T00:00:00.000Z", last_played_at: null, reject_detail: STEERING, waiting: null },
  ...{ next_match_eta_s: null }
}

const answers: Readonly<Record<string, unknown>> = {
  "/v1/me": account,
  "/v1/me/candidates": { candidates: [rejected], total: 1, next_cursor: null }
}

/** A service whose people have such names, written with the characters themselves. */
const service = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "", "http://agon")
  const answer = answers[pathname]
  response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" }).end(JSON.stringify(answer ?? {}))
})

const keep = (url: string, username = "ada") => {
  mkdirSync(join(folder, "agon"), { recursive: true })
  writeFileSync(join(folder, "agon", "session.json"), JSON.stringify({ url, session: "x".repeat(43), username }))
}

describe("what others wrote", () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  for (const [args, told] of [
    [["whoami"], ({ display_name }: { display_name: string }) => display_name === account.display_name],
    [["status"], ({ candidates: [one] }: { candidates: ReadonlyArray<typeof rejected> }) => one?.reject_detail === STEERING]
  ] as const)
    it.live(`does not steer the terminal by agon ${args[0]}, as JSON or in lines, and the JSON tells it all the same`, () =>
      Effect.gen(function* () {
        keep(yield* listening(service))
        const { err, out, status } = yield* Effect.promise(() => agonHere([...args, "--json"], { environment }))
        assert.strictEqual(status, 0, err)
        assert.notMatch(out, OBEYED)
        assert.isTrue(told(JSON.parse(out)), out)
        const lines = yield* Effect.promise(() => agonHere(args, { environment }))
        assert.include(lines.out, "\\u009b2J\\u007f")
        assert.notMatch(lines.out, OBEYED)
      }).pipe(Effect.scoped)
    )

  it.effect(
    "does not steer it either by whichever function of the console a command takes, and lines keep their tabs, ends and colours",
    () =>
      Effect.gen(function* () {
        const shown = "\u001b[1mbold\u001b[0m\t\u001b[32mgreen\u001b[0m\n\u00e9\u{1f40d}"
        const printed: Array<string> = []
        const print = (text: string) => void printed.push(text)
        const terminal: Console.Console = { ...console, log: print, error: print, info: print, warn: print, debug: print }
        const functions = [Console.log, Console.error, Console.info, Console.warn, Console.debug]
        yield* Effect.provideService(printingFit(Effect.forEach(functions, (log) => log(`${shown}${STEERING}`))), Console.Console, terminal)
        assert.deepStrictEqual(new Set(printed.map((text) => text.slice(0, shown.length))), new Set([shown]))
        assert.lengthOf(printed, functions.length)
        for (const text of printed) assert.notMatch(text.slice(shown.length), OBEYED)
      })
  )
})
