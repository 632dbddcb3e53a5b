/**
 * The units of deploy/systemd under a real systemd, with all that they restrict: the service answers, the
 * site shows its pages, the runner plays in the strongest sandbox, a backup is made, and a stop is one
 * that systemd calls a success.
 */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { eventuallyAsync, Hopeless, PATIENCE_MS } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import { leftOut } from "../support/slow.ts"
import * as Systemd from "./Systemd.ts"
import { Visitor } from "./Visitor.ts"

const missing = leftOut("a whole systemd is started: half a minute") ?? Systemd.missingSystemd()

describe.skipIf(missing !== undefined)(`the units${missing === undefined ? "" : `: ${missing}`}`, () => {
  let systemd: Systemd.Systemd
  let origin: string

  beforeAll(async () => {
    const [port, site] = [String(await freePort()), String(await freePort())]
    origin = `http://localhost:${port}`
    systemd = await Systemd.start()
    await systemd.configure("service", { PORT: port, AGON_METRICS: "off", AGON_SITE: `127.0.0.1:${site}` })
    await systemd.configure("site", { AGON_URL: origin, AGON_SITE_PORT: site })
  }, PATIENCE_MS)
  afterAll(() => systemd?.end(), PATIENCE_MS)

  const begun = async (unit: string) => {
    const { said, succeeds } = await systemd.run("systemctl", "start", unit)
    assert.isTrue(succeeds, said)
  }
  const comes = (unit: string, what: string, probe: () => Promise<boolean>) =>
    eventuallyAsync(what, async () => {
      const [state, restarts] = [await systemd.property(unit, "ActiveState"), await systemd.property(unit, "NRestarts")]
      if (state !== "active" || restarts !== "0")
        throw new Hopeless(`${unit} is ${state}, restarts: ${restarts}: ${await systemd.log(unit)}`)
      return probe()
    })
  /** The kernel's word for what the unit asks of it. */
  const restricted = async (unit: string) => {
    const status = Systemd.statusOf(await systemd.mainPid(unit))
    assert.notMatch(status, /^Uid:\t0\t/m, unit)
    for (const line of [/^NoNewPrivs:\t1$/m, /^Seccomp:\t2$/m, /^CapEff:\t0+$/m, /^CapBnd:\t0+$/m]) assert.match(status, line, unit)
  }
  const stopped = async (unit: string) => {
    const { said, succeeds } = await systemd.run("systemctl", "stop", unit)
    assert.isTrue(succeeds, said)
    const ending = await Promise.all(["Result", "ExecMainStatus", "ActiveState"].map((name) => systemd.property(unit, name)))
    assert.deepStrictEqual(ending, ["success", "0", "inactive"], await systemd.log(unit))
    assert.notMatch(await systemd.log(unit), /EROFS|EACCES|EPERM|read-only file system/i)
  }

  /** The timer waits for the night. It fires at once where a drop-in takes the night away, as an operator's may set another hour. */
  const backedUpByTheTimer = async () => {
    const [timer, service] = ["agon-backup.timer", "agon-backup.service"]
    await begun(timer)
    assert.match(await systemd.property(timer, "NextElapseUSecRealtime"), / 03:(3\d|4[0-5]):\d\d /)
    const dropIn = `/run/units/${timer}.d/hour.conf`
    await systemd.run(
      "sh",
      "-c",
      `printf '[Timer]\\nOnCalendar=\\nOnActiveSec=0\\nRandomizedDelaySec=0\\n' > ${dropIn} && systemctl daemon-reload`
    )
    const restarted = await systemd.run("systemctl", "restart", timer)
    assert.isTrue(restarted.succeeds, restarted.said)
    await eventuallyAsync("a backup that the timer began", async () => {
      const [state, result] = [await systemd.property(service, "ActiveState"), await systemd.property(service, "Result")]
      if (state === "failed") throw new Hopeless(`${result}: ${await systemd.log(service)}`)
      return state === "inactive" && (await systemd.property(service, "ExecMainExitTimestamp")) !== ""
    })
    assert.strictEqual(await systemd.property(service, "TriggeredBy"), timer)
    assert.strictEqual(await systemd.property(service, "ExecMainStatus"), "0", await systemd.log(service))
  }

  it(
    "serve, show, play in the strongest sandbox, back up and stop, with everything restricted that they restrict",
    async () => {
      await begun("agon.service")
      await comes("agon.service", "an answer of the service", async () => (await fetch(`${origin}/readyz`)).ok)
      await restricted("agon.service")
      await begun("agon-site.service")
      await comes("agon-site.service", "the demonstration on the site", async () => {
        const page = await fetch(`${origin}/games/snakes/seasons/demo`)
        return page.ok && (page.headers.get("content-type") ?? "").startsWith("text/html")
      })
      await restricted("agon-site.service")

      const admin = await Visitor.signedIn(origin, "admin")
      const { key } = await admin.post("/v1/runner-keys", { name: "rack" })
      await systemd.configure("runner", { AGON_URL: origin, AGON_RUNNER_KEY: key })
      await begun("agon-runner.service")
      await comes("agon-runner.service", "a rated match", async () => (await admin.get("/v1/matches?season=demo&limit=1")).total > 0)
      await restricted("agon-runner.service")
      assert.include(await systemd.log("agon-runner.service"), `"isolation":"bubblewrap"`)

      await backedUpByTheTimer()
      assert.match((await systemd.run("sh", "-c", "ls -ld /var/lib/agon-backup/*/backup.json")).said, /^-rw-------.* agon agon /)

      for (const unit of ["agon-runner.service", "agon-site.service", "agon.service"]) await stopped(unit)
    },
    3 * PATIENCE_MS
  )
})
