/** A runner that cannot start says in one sentence what to mend, with status 2; asked for its help, it does not start. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "vitest"

const program = join(import.meta.dirname, "../../packages/runner/src/main.ts")
const run = (environment: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [program, ...args], { env: { PATH: process.env["PATH"], ...environment }, encoding: "utf8" })

describe("a runner", () => {
  it("tells its options and does not start where it is asked for help", () => {
    const { status, stderr, stdout } = run({ AGON_RUNNER_KEY: "k" }, "--help")
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.match(stdout, /^Usage: agon runner, or scripts\/runner\n/)
    assert.include(stdout, "AGON_RUNNER_KEY")
  })

  it.for([
    [{}, [], /^AGON_RUNNER_KEY is not set: [^\n]+\.\n$/],
    [{ AGON_RUNNER_KEY: "k", AGON_URL: "the service" }, [], /^AGON_URL: the service is no http\(s\) address\.\n$/],
    [{ AGON_RUNNER_KEY: "k", AGON_RUNNER_SLOTS: "many" }, [], /^AGON_RUNNER_SLOTS: many is no whole number from 1 to 256\.\n$/],
    [
      { AGON_RUNNER_KEY: "k", AGON_RUNNER_ACCEPTS: "match,lunch" },
      [],
      /^AGON_RUNNER_ACCEPTS: "lunch" is none of match, admission, audit\.\n$/
    ],
    [{ AGON_RUNNER_KEY: "k", LOG_LEVEL: "loud" }, [], /^LOG_LEVEL: loud is none of all, fatal, error, warn, info, debug, trace, none\.\n$/],
    [{ AGON_RUNNER_KEY: "k" }, ["--slots"], /^The runner takes no argument --slots; see --help\.\n$/]
  ] as const)("says what to mend: %j %j", ([environment, args, sentence]) => {
    const { status, stderr, stdout } = run(environment, ...args)
    assert.match(stderr, sentence)
    assert.deepStrictEqual([status, stdout], [2, ""])
  })
})
