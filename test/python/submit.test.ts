/** The example of training to its end: what it has trained enters a season of a running service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { firstPage } from "@agon/api/Pages.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as arena } from "../support/Arena.ts"
import { Browser, signIn } from "../support/Browser.ts"
import { missingPython, python } from "../support/python.ts"
import { Service } from "../support/Service.ts"
import { leftOut } from "../support/slow.ts"

const missing = leftOut("it trains: a quarter of a minute") ?? missingPython()

const newFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-train-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Signs somebody in and writes the session file of `agon login`. */
const keepSession = (folder: string, origin: string, login: string) =>
  Effect.promise(async () => {
    const browser = new Browser()
    await signIn(browser, origin, login)
    mkdirSync(join(folder, "agon"))
    const kept = { url: origin, session: browser.cookie(origin, "service_session"), username: login }
    writeFileSync(join(folder, "agon/session.json"), JSON.stringify(kept), { mode: 0o600 })
  })

describe.skipIf(missing !== undefined)(`the example of training${missing === undefined ? "" : ` (${missing})`}`, () => {
  layer(arena, { excludeTestServices: true })("beside a service", (it) => {
    it.effect("submits the model that it has trained, which is entered", () =>
      Effect.gen(function* () {
        const [folder, { as, origin }] = [yield* newFolder, yield* Service]
        yield* keepSession(folder, origin, "ada")
        const short = ["--stages", "1", "--scale", "0.1", "--processes", "1", "--checkpoints", "1", "--matches", "0"]
        const given = [...short, "--out", join(folder, "trained"), "--submit", "apprentice"]
        const environment = { XDG_CONFIG_HOME: folder }
        const { output, status } = yield* Effect.promise(() => python(["examples/train/train.py", ...given], { environment }))
        assert.strictEqual(status, 0, output)
        const { models } = yield* (yield* as("ada")).model.ownModels({ query: { game: "snakes", ...firstPage() } })
        assert.deepStrictEqual(
          models.map(({ name }) => name),
          ["apprentice"]
        )
        assert.match(output, /^entered: apprentice version 1 in autumn, class mini$/m)
      }).pipe(Effect.scoped)
    )
  })
})
