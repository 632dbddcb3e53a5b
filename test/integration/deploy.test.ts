/**
 * The systemd units, the container file and the compose file name programs, paths and variables that there
 * are, and wait as long as a stop takes.
 */

import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { BlockList } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CLOSE_S, FINISH_S } from "@agon/runner/runner/stopping.ts"
import { variables } from "@agon/server/config/environment.ts"
import { load } from "@agon/server/config/Settings.ts"
import { SHUTDOWN_S } from "@agon/server/Http.ts"
import { STOP_S } from "@agon/server/process/ChildProcess.ts"
import { OWN_FINISH_S } from "@agon/server/runner/fleet/OwnRunner.ts"
import { ConfigProvider, Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { parse } from "yaml"

const root = join(import.meta.dirname, "../..")
const units = join(root, "deploy/systemd")
const home = mkdtempSync(join(tmpdir(), "agon-deploy-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const INSTALLED = "/opt/agon"
const ANALYZE = "/usr/bin/systemd-analyze"
/** Variables of the programs beside the service, from the files that read them. */
const ofProgram = (path: string) => new Set(readFileSync(join(root, path), "utf8").match(/\bAGON_[A-Z_]+/g))
const known = new Set([
  ...Object.values(variables).map(({ name }) => name),
  ...ofProgram("packages/runner/src/runner/Options.ts"),
  ...ofProgram("packages/site/src/Options.ts")
])

const scripts = (text: string) => [...text.matchAll(/\/opt\/agon\/(scripts\/[a-z]+)/g)].map(([, path]) => path!)

/** Scripts that are run in the place where the project is installed are there and can be run. */
const runnable = (text: string) => {
  const found = scripts(text)
  for (const path of found) assert.isTrue(existsSync(join(root, path)) && (statSync(join(root, path)).mode & 0o111) === 0o111, path)
  return found
}

describe("the systemd units", () => {
  const names = readdirSync(units)

  it("run scripts of the project, with variables that its programs know", () => {
    const texts = names.map((name) => readFileSync(join(units, name), "utf8"))
    assert.sameMembers(texts.flatMap(runnable), ["scripts/start", "scripts/site", "scripts/runner", "scripts/backup"])
    const set = texts.flatMap((text) => [...text.matchAll(/^Environment=([A-Z_]+)=/gm)].map(([, name]) => name!))
    assert.isNotEmpty(set)
    for (const name of set) assert.isTrue(known.has(name), name)
  })

  it.skipIf(!existsSync(ANALYZE))("are understood by systemd in every line, once the project is where they expect it", () => {
    for (const name of names) {
      const text = readFileSync(join(units, name), "utf8")
      writeFileSync(join(home, name), text.replace(/^(Exec\w+=.*?)\/opt\/agon\//gm, `$1${root}/`))
    }
    const { status, stderr } = spawnSync(ANALYZE, ["verify", "--man=no", ...names.map((name) => join(home, name))], { encoding: "utf8" })
    const about = stderr.split("\n").filter((line) => line.includes("agon") || line.includes(home))
    assert.deepStrictEqual([status, about], [0, []], stderr)
  })

  it.skipIf(!existsSync(ANALYZE))("expose less than systemd calls medium, and nothing that they need not", () => {
    const found = new Map(names.filter((name) => name.endsWith(".service")).map((name) => [name, exposure(name)]))
    for (const [name, { level }] of found) assert.isBelow(level, EXPOSED, name)
    const open = [...new Set([...found].flatMap(([name, { rows }]) => (name === "agon-runner.service" ? [] : rows)))]
    assert.sameMembers(open, NEEDED, "of all units but the runner's")
  })
})

/** Of ten: what systemd-analyze adds up. */
const EXPOSED = 3
/** The network, a compiler at run time, /proc for the backup, and what is no more than another word for what is set. */
const NEEDED = [
  ...["PrivateNetwork", "IPAddressDeny", "RestrictAddressFamilies_AF_INET_INET6", "RestrictAddressFamilies_AF_UNIX"],
  ...["RestrictAddressFamilies_AF_NETLINK", "MemoryDenyWriteExecute", "ProtectProc"],
  ...["DeviceAllow", "PrivateMounts", "RootDirectoryOrRootImage", "RemoveIPC"]
]

/** How exposed systemd calls the unit, and the settings by which it is. */
const exposure = (name: string) => {
  const analyzed = (...options: ReadonlyArray<string>) =>
    spawnSync(ANALYZE, ["security", "--offline=true", "--no-pager", ...options, join(units, name)], { encoding: "utf8" }).stdout
  const rows: ReadonlyArray<{ readonly set: boolean; readonly json_field: string }> = JSON.parse(analyzed("--json=short"))
  const level = /exposure level for \S+: ([\d.]+)/.exec(analyzed())
  return { rows: rows.filter((row) => row.set === false).map((row) => row.json_field), level: Number(level![1]) }
}

const compose = parse(readFileSync(join(root, "deploy/compose.yml"), "utf8"), { merge: true })
const image = readFileSync(join(root, "deploy/Containerfile"), "utf8")

describe("a stop", () => {
  const unit = (name: string) => readFileSync(join(units, `${name}.service`), "utf8")
  const timeout_s = (name: string) => Number(/^TimeoutStopSec=(\d+)$/m.exec(unit(name))![1])
  const grace_s = (name: string) => Number(/^(\d+)s$/.exec(compose.services[name].stop_grace_period)![1])
  const runner_s = FINISH_S + CLOSE_S

  it("has the time that a runner takes to finish what it plays, and the service to end", () => {
    for (const given_s of [timeout_s("agon-runner"), grace_s("runner")]) assert.isAbove(given_s, runner_s)
    for (const given_s of [timeout_s("agon"), grace_s("service")]) assert.isAbove(given_s, STOP_S + SHUTDOWN_S)
    assert.isBelow(OWN_FINISH_S + CLOSE_S, STOP_S, "the service gives the runner beside it the time that this takes")
  })

  it("begins with the signal that the programs know, at the one process that knows what to do", () => {
    for (const name of ["agon", "agon-runner"]) {
      assert.match(unit(name), /^KillMode=mixed$/m, name)
      assert.notInclude(unit(name), "KillSignal=", name)
    }
    assert.match(image, /^STOPSIGNAL SIGTERM$/m)
  })

  it("takes as long as the page for operators says", () => {
    const page = readFileSync(join(root, "docs/operating.md"), "utf8")
    assert.include(page, `| \`AGON_RUNNER_FINISH_S\` | ${FINISH_S} |`)
    assert.include(unit("agon-runner"), `AGON_RUNNER_FINISH_S (${FINISH_S})`)
  })
})

describe("the containers", () => {
  const own: ReadonlyArray<string> = ["service", "site", "runner"]

  it("run scripts of the project, from where the image has them", () => {
    assert.include(image, `WORKDIR ${INSTALLED}`)
    assert.sameMembers(runnable(image), ["scripts/start"])
    const commands = own.flatMap((name) => runnable((compose.services[name].command ?? []).join(" ")))
    assert.sameMembers(commands, ["scripts/site", "scripts/runner"])
    for (const name of own) assert.strictEqual(compose.services[name].image, "agon")
  })

  it("get variables that the programs know", () => {
    const set = [...own.flatMap((name) => Object.keys(compose.services[name].environment)), ...(image.match(/\bAGON_[A-Z_]+(?==)/g) ?? [])]
    assert.isAbove(set.length, 15)
    for (const name of set) assert.isTrue(known.has(name), name)
  })

  it("give the service settings with which it starts", async () => {
    const secrets: Readonly<Record<string, string>> = {
      PUBLIC_ORIGIN: "https://agon.example",
      AUTH_PROVIDERS: '[{"slug":"github","client_id":"a","client_secret":"b"}]',
      AGON_ADMIN: "github:ada",
      POSTGRES_PASSWORD: "secret",
      S3_ENDPOINT: "https://agon.example:9000",
      S3_SECRET_ACCESS_KEY: "secret"
    }
    const filled = (text: string) =>
      text.replace(
        /\$\{([A-Z0-9_]+):\?\}/g,
        (_, name: string) => secrets[name] ?? assert.fail(`${name} is a secret that the file does not name`)
      )
    const environment = Object.entries<string>(compose.services.service.environment).map(([name, value]) => [name, filled(value)])
    const env = Object.fromEntries(environment)
    const settings = await Effect.runPromise(Effect.provideService(load, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))
    assert.deepStrictEqual(settings.site, { host: "site", port: Number(compose.services.site.environment.AGON_SITE_PORT) })
    assert.strictEqual(compose.services.runner.environment.AGON_URL, `http://service:${settings.port}`)
    assert.isFalse(settings.development_sign_in)
  })

  const addressOf = (name: string): string | undefined => compose.services[name].networks?.default.ipv4_address
  const within = (network: string, address: string) => {
    const list = new BlockList()
    const [first, bits] = network.split("/")
    list.addSubnet(first!, Number(bits))
    return list.check(address)
  }

  it("lets the service believe nginx alone whom it passes on", () => {
    assert.strictEqual(compose.services.service.environment.TRUSTED_PROXIES, addressOf("nginx"))
  })

  it("have an address that no other container is given where nginx goes by their names, which it looks up once", () => {
    const { ip_range, subnet } = compose.networks.default.ipam.config[0]
    const named = [...readFileSync(join(root, "deploy/objects.conf"), "utf8").matchAll(/proxy_pass http:\/\/(\w+):/g)].map(
      ([, name]) => name!
    )
    const fixed = ["nginx", "service", ...named].map((name) => addressOf(name) ?? name)
    assert.lengthOf(fixed, 3)
    assert.strictEqual(new Set(fixed).size, fixed.length)
    for (const address of fixed) assert.deepStrictEqual([within(subnet, address), within(ip_range, address)], [true, false], address)
  })

  it("take no secret of this machine with them, nor does the repository", () => {
    const volumes: ReadonlyArray<string> = compose.services.nginx.volumes
    const mounted = volumes.map((one) => one.split(":")[0]!.replace("./", "deploy/")).filter((path) => path !== "deploy/objects.conf")
    const outside = (path: string) =>
      readFileSync(join(root, path), "utf8")
        .split("\n")
        .map((line) => line.replace(/^\/|\/$|^\*\*\//g, ""))
    for (const path of mounted) {
      assert.include(outside(".gitignore"), path)
      assert.include(outside(".dockerignore"), path)
    }
    assert.include(outside(".gitignore"), "deploy/.env")
    for (const name of [".env", ".git", ".agon", "node_modules"]) assert.include(outside(".dockerignore"), name)
  })

  it("keep what they write in volumes that the file makes", () => {
    const used = Object.values<any>(compose.services).flatMap(({ volumes = [] }) => volumes.map((one: string) => one.split(":")[0]))
    assert.sameMembers([...new Set(used.filter((name: string) => !name.startsWith(".")))], Object.keys(compose.volumes))
  })
})
