/**
 * The starter kit as it stands: the commands of its pages are typed into a shell in an empty folder,
 * beside a checkout, with the machine's Node and Debian's Python alone. Their end is a trained model on
 * the ladder of a running service.
 */
import { spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { firstPage } from "@agon/api/Pages.ts"
import { assert, describe, layer, vi } from "@effect/vitest"
import { Effect } from "effect"
import { layer as arena } from "../support/Arena.ts"
import { HANGS_AFTER_MS } from "../support/hangs.ts"
import { missingPython, PYTHON, ROOT } from "../support/python.ts"
import { Service } from "../support/Service.ts"
import { leftOut } from "../support/slow.ts"

/** It trains, plays and submits twice: 40 s where nothing else runs. */
vi.setConfig({ testTimeout: 2 * HANGS_AFTER_MS })

const missing = missingPython()
const KIT = join(ROOT, "packages/zoo/docs")
const ACTION = join(ROOT, "examples/submit-on-tag/submit.yml")

/** Debian's programs first, among them its Python, and then the machine's own Node with its npm. */
const machinesPath = () => {
  const folders = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.includes("node_modules"))
  const node = folders.find((folder) => existsSync(join(folder, "node")) && existsSync(join(folder, "npm")))
  return [dirname(PYTHON), "/bin", node ?? dirname(process.execPath)].join(":")
}

/** The blocks of a page in one language, one behind the other. */
const typed = (page: string, language: string): string =>
  [...readFileSync(join(KIT, page), "utf8").matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, "gm"))]
    .map(([, block]) => block)
    .join("\n")

/** Commands of the action's steps: the lines below each `run: |`. */
const stepsOf = (action: string): ReadonlyArray<string> =>
  [...action.matchAll(/^( +)run: \|\n((?:\1 +.*\n?)+)/gm)].map(([, , block]) => block!.replace(/^ +/gm, ""))
/** The values below the job's `env`. */
const valuesOf = (action: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...action.matchAll(/^ {6}([A-Z]+): (\S+)$/gm)].map(([, name, value]) => [name!, value!]))

interface Shell {
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
}

/** Types commands into a shell, and answers what it shows. `heard` is told all that has been shown so far. */
const type = ({ env, folder }: Shell, commands: string, heard: (shown: string) => void = () => {}) =>
  Effect.promise(
    () =>
      new Promise<string>((done, fail) => {
        const usual = { HOME: folder, LANG: "C.UTF-8", PYTHONDONTWRITEBYTECODE: "1", PATH: machinesPath() }
        const child = spawn("/bin/bash", ["-euo", "pipefail", "-c", commands], {
          cwd: folder,
          env: { ...usual, ...env },
          stdio: ["ignore", "pipe", "pipe"]
        })
        let shown = ""
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding("utf8").on("data", (text: string) => {
            shown += text
            heard(shown)
          })
        child.on("error", fail)
        child.on("close", (status) => (status === 0 ? done(shown) : fail(new Error(`the shell ended with ${status}: ${shown}`))))
      })
  )

const emptyFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-first-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** Approves, as a person in a browser would, the first code that a shell shows. */
const approving = Effect.fnUntraced(function* (login: string) {
  const person = yield* (yield* Service).as(login)
  let decided: Promise<unknown> | undefined
  const heard = (shown: string) => {
    const user_code = /type the code (\S+)\n/.exec(shown)?.[1]
    if (user_code !== undefined) decided ??= Effect.runPromise(person.device.decideDeviceSignIn({ payload: { user_code, approve: true } }))
  }
  return { heard, person }
})

describe.skipIf(missing !== undefined)(`the starter kit${missing === undefined ? "" : ` (${missing})`}`, () => {
  layer(arena, { excludeTestServices: true })("typed in as it stands", (it) => {
    it.effect.skipIf(leftOut("it trains for half a minute"))(
      "ends its first hour with a trained model on the ladder, which its page on limits reads and a tag submits",
      () =>
        Effect.gen(function* () {
          const [folder, { origin }, { heard, person }] = [yield* emptyFolder, yield* Service, yield* approving("ada")]
          symlinkSync(ROOT, join(folder, "agon"))
          const shell = { folder, env: { AGON_URL: origin } }
          const hour = yield* type(shell, typed("first-hour.md", "sh"), heard)
          assert.match(hour, /^admitted: \d+ parameters/m)
          assert.match(hour, /^entered: first version 1 in autumn, class mini$/m)
          assert.match(hour, /^ +\d+ +\d+\.\d ± +\d+\.\d {2}first \(ada\)$/m)
          const { entries } = yield* person.leaderboard.leaderboard({
            params: { game: "snakes" },
            query: { ladder: "open", ...firstPage() }
          })
          assert.deepInclude(
            entries.map(({ model, owner }) => ({ model, owner })),
            { model: "first", owner: "ada" }
          )

          const paths = { PATH: `${ROOT}/node_modules/.bin:${machinesPath()}`, PYTHONPATH: `${ROOT}/python` }
          const read = yield* type({ folder, env: paths }, typed("limits.md", "sh"))
          for (const line of [/^autumn \{.*infer_us_max/m, /^class mini$/m, /^size_bytes \d+$/m, /^infer_us \d+$/m, /refused now: \[\]$/m])
            assert.match(read, line)

          const action = readFileSync(ACTION, "utf8")
          const tagged = yield* emptyFolder
          symlinkSync(join(ROOT, "python/agon_client"), join(tagged, "agon_client"))
          symlinkSync(join(folder, "trained"), join(tagged, "trained"))
          const AGON_SESSION = readFileSync(join(folder, ".config/agon/session.json"), "utf8")
          const run = { folder: tagged, env: { ...valuesOf(action), AGON_SESSION, GITHUB_REF_NAME: "v1" } }
          const steps = stepsOf(action)
          assert.lengthOf(steps, 3)
          assert.match(yield* type(run, steps.slice(0, 2).join("\n")), /^entered: first version 1 in autumn, class mini$/m)
          const elsewhere = yield* Effect.exit(type({ ...run, env: { ...run.env, SEASON: "winter" } }, steps[1]!))
          assert.match(String(elsewhere), /unknown_season/)
          yield* type(run, steps[2]!)
          assert.isFalse(existsSync(join(tagged, ".config/agon/session.json")))
        }).pipe(Effect.scoped)
    )

    it.effect("exports with numpy alone a model that is admitted", () =>
      Effect.gen(function* () {
        const folder = yield* emptyFolder
        symlinkSync(ROOT, join(folder, "agon"))
        mkdirSync(join(folder, "scripts"))
        writeFileSync(join(folder, "scripts/export.py"), typed("export-numpy.md", "python"))
        const env = { PATH: `${ROOT}/node_modules/.bin:${machinesPath()}` }
        const shown = yield* type({ folder, env }, `${PYTHON} scripts/export.py\n${typed("export-numpy.md", "sh")}`)
        assert.match(shown, /^admitted: 12868 parameters, \d+ us a move here, memory flat 0 cell 0$/m)
      }).pipe(Effect.scoped)
    )
  })
})
