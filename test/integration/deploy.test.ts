/** The systemd units, the container file and the compose file name programs, paths and variables that there are. */

import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { variables } from "@agon/server/config/environment.ts"
import { load } from "@agon/server/config/Settings.ts"
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

/** What is run in the place where the project is installed is there and can be run. */
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
})

describe("the containers", () => {
  const compose = parse(readFileSync(join(root, "deploy/compose.yml"), "utf8"), { merge: true })
  const image = readFileSync(join(root, "deploy/Containerfile"), "utf8")
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
      S3_ENDPOINT: "https://objects.example",
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

  it("take no secret of this machine with them, nor does the repository", () => {
    const mounted: ReadonlyArray<string> = compose.services.nginx.volumes.map((one: string) => one.split(":")[0]!.replace("./", "deploy/"))
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
