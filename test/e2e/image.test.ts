/**
 * The image of deploy/Containerfile is built and played in. It takes two minutes of a quiet machine and 1.5
 * GB of disk, and fetches packages (scripts/apt-packages.txt), so it runs in CI alone.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventuallyAsync, Hopeless, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { allowed } from "../support/slack.ts"
import { leftOut } from "../support/slow.ts"
import * as Image from "./Image.ts"
import { stillRunning } from "./Service.ts"

/** As the page for operators promises it. */
const STOP_MS = 10_000
/** Debian's packages, npm's and a copy of all, beside eight busy loops too. */
const MADE_MS = 1_500_000

const missing = leftOut("it takes two minutes and 1.5 GB") ?? Image.missingImage()

describe.skipIf(missing !== undefined)(`the image${missing === undefined ? "" : `: ${missing}`}`, () => {
  const volumes = mkdtempSync(join(tmpdir(), "agon-volumes-"))
  const data = join(volumes, "data")
  const containers: Array<Image.Container> = []
  const figures: Array<string> = []
  let image: Image.Image
  let port: number

  beforeAll(async () => {
    port = await freePort()
    image = await Image.make((step, seconds) => figures.push(`${step}: ${seconds.toFixed(0)} s`))
  }, MADE_MS)

  afterAll(async () => {
    for (const container of containers) {
      if (!container.over()) container.signal("SIGKILL")
      await container.ended
    }
    await image?.remove()
    rmSync(volumes, { recursive: true, force: true })
    console.log(figures.join("\n"))
  }, PATIENCE_MS)

  /**
   * Once it answers. It is started again as `restart: always` does: on a starved machine its
   * database may be too slow for it.
   */
  const started = async (starts_left = 3): Promise<Image.Container> => {
    const places = { "/var/lib/agon": data, "/var/cache/agon-runner": join(volumes, "cache") }
    const container = await Image.start(image, places, { PORT: String(port), AGON_METRICS: "off" })
    containers.push(container)
    await eventuallyAsync("an answer or an end", async () => container.over() || (await ask("/readyz")).ok)
    if (!container.over()) return container
    if (starts_left === 0) throw new Error(container.log())
    figures.push(`a start ended with ${(await container.ended).status} and is repeated`)
    return started(starts_left - 1)
  }
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  const comes = (container: Image.Container, what: string, probe: () => Promise<boolean>) =>
    eventuallyAsync(what, () => {
      if (container.over()) throw new Hopeless(`the container ended: ${container.log()}`)
      return probe()
    })
  /** None while the service says that it is too busy to tell. */
  const rated = async (): Promise<number | undefined> => {
    const answer = await ask("/v1/matches?season=demo&limit=1")
    return answer.ok ? ((await answer.json()) as { readonly total: number }).total : undefined
  }
  const statusOf = (pid: number) => readFileSync(`/proc/${pid}/status`, "utf8")

  /** Seconds until it has ended with status 0, nothing of it runs, and it never wanted to write elsewhere. */
  const stopped = async (container: Image.Container) => {
    const family = container.family()
    const began = performance.now()
    container.signal("SIGTERM")
    const { signal, status } = await container.ended
    const took_ms = performance.now() - began
    figures.push(`SIGTERM to the end: ${Math.round(took_ms)} ms`)
    assert.deepStrictEqual([status, signal], [0, null], container.log())
    assert.isBelow(took_ms, allowed(STOP_MS))
    await eventuallyAsync("the end of its processes", () => stillRunning(family).length === 0)
    assert.notMatch(container.log(), /EROFS|EACCES|EPERM|read-only file system/i)
  }

  it("has the project with what runs it, and nothing of the checkout's history, data or secrets", () => {
    const { Cmd, StopSignal, User } = image.config
    assert.deepStrictEqual([User, Cmd, StopSignal], ["agon", ["/opt/agon/scripts/start"], "SIGTERM"])
    const here = readdirSync(join(image.files, "opt/agon"))
    assert.includeMembers(here, ["scripts", "packages", "node_modules", "LICENSE"])
    for (const name of [".git", ".env", ".agon"]) assert.notInclude(here, name)
    const modules = readdirSync(join(image.files, "opt/agon/node_modules"))
    assert.include(modules, "effect")
    assert.notInclude(modules, "vitest", "what only tests need is left out")
    assert.deepStrictEqual(
      readdirSync(join(image.files, "root")).filter((name) => name === ".npmrc" && !empty("root/.npmrc")),
      []
    )
  })
  const empty = (path: string) => readFileSync(join(image.files, path), "utf8") === ""

  it(
    "plays the demonstration as a user without rights, writes into its volumes alone, ends when it is told to, and goes on where it was",
    async () => {
      const began = performance.now()
      const first = await started()
      await comes(first, "the season on the site", async () => {
        const page = await ask("/games/snakes/seasons/demo")
        return page.status === 200 && (page.headers.get("content-type") ?? "").startsWith("text/html")
      })
      await comes(first, "a rated match", async () => ((await rated()) ?? 0) > 0)
      figures.push(`first rated match ${((performance.now() - began) / 1_000).toFixed(0)} s after the start`)
      const { uid } = Image.userOf(image)
      assert.notStrictEqual(uid, 0)
      const family = first.family()
      for (const program of ["server", "site", "runner"]) {
        assert.isTrue(
          family.some(({ command }) => command.includes(`packages/${program}/src/main.ts`)),
          program
        )
      }
      for (const { command, pid } of family) {
        if (!existsSync(`/proc/${pid}/status`)) continue
        const status = statusOf(pid)
        assert.match(status, new RegExp(`^Uid:\\t${uid}\\t${uid}\\t`, "m"), command)
        assert.match(status, /^NoNewPrivs:\t1$/m, command)
        // The sandbox is in a namespace of users of its own, and has rights there alone.
        if (!/bwrap|unshare|packages\/sandbox/.test(command)) assert.match(status, /^CapEff:\t0+$/m, command)
      }
      await stopped(first)
      const places = ["objects", "postgres", "secrets"]
      const written = readdirSync(join(data, "data"))
      for (const place of places)
        assert.isTrue(
          written.some((name) => name.startsWith(place)),
          place
        )

      const second = await started()
      let kept: number | undefined
      await comes(second, "an answer", async () => (kept = await rated()) !== undefined)
      assert.isAbove(kept!, 0, "what was rated is still there")
      await comes(second, "another rated match", async () => ((await rated()) ?? 0) > kept!)
      await stopped(second)
    },
    4 * PATIENCE_MS
  )
})
