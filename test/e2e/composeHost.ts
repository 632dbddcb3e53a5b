/**
 * Does by hand, for compose.test.ts and within compose.sh, what an engine does with deploy/compose.yml:
 * starts each service's command with its environment, in the order of `depends_on`, asks its healthcheck, and
 * stops it with its time. Then a competition is made, played and read through nginx. Prints one line of JSON
 * for each thing that it saw, and fails at the first that is otherwise.
 *
 * Postgres is Debian's, since the file's image is not to be had; so is nginx, whose own file includes conf.d
 * as that image's does. The S3 server is the one of the other tests, whose keys have another form
 * (`account:user`): key and address are the only values not the file's.
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import * as S3Objects from "@agon/server/object/s3/S3Objects.ts"
import type { S3Options } from "@agon/server/object/s3/s3Requests.ts"
import { Context, Effect, Layer, Option, Redacted, Scope } from "effect"
import { parse } from "yaml"
import { Browser } from "../support/Browser.ts"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import { S3Server } from "../support/S3Server.ts"
import * as StubProvider from "../support/StubProvider.ts"
import * as Competition from "./Competition.ts"
import * as Program from "./Program.ts"
import { Visitor } from "./Visitor.ts"

const ROOT = join(import.meta.dirname, "../..")
const directory = process.argv[2]!
const compose = parse(readFileSync(join(ROOT, "deploy/compose.yml"), "utf8"), { merge: true })
const ORIGIN = "https://agon.example"
/** Of nobody, as the image's is. */
const USER = "12345"
const PROVIDER = "stub"
const scope = Scope.makeUnsafe()

const saw = (what: string, more: object = {}) => console.log(JSON.stringify({ saw: what, ...more }))
const holds = (what: string, yes: boolean, otherwise: () => unknown = () => "it does not hold") => {
  if (!yes) throw new Error(`${what}: ${otherwise()}`)
  saw(what)
}

/** The variables of the image (deploy/Containerfile). */
const ofImage = Object.fromEntries(
  [...readFileSync(join(ROOT, "deploy/Containerfile"), "utf8").matchAll(/\b(AGON_[A-Z_]+)=(\S+)/g)].map(([, name, value]) => [
    name!,
    value!
  ])
)
const startOfImage: ReadonlyArray<string> = JSON.parse(
  /^CMD (\[.*\])$/m.exec(readFileSync(join(ROOT, "deploy/Containerfile"), "utf8"))![1]!
)

const secrets: Record<string, string> = { POSTGRES_PASSWORD: "a secret of the test", PUBLIC_ORIGIN: ORIGIN }
const filled = (text: string): string =>
  text.replace(/\$\{([A-Z0-9_]+):([?-])\}/g, (_, name: string, kind: string) => {
    const value = secrets[name] ?? (kind === "-" ? "" : undefined)
    if (value === undefined) throw new Error(`the file wants ${name}`)
    return value
  })
const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(Object.entries<string>(compose.services[name].environment ?? {}).map(([key, value]) => [key, filled(value)]))

const PATH = process.env["PATH"] ?? "/usr/bin:/bin"
const asUser = ["--reuid", USER, "--regid", USER, "--clear-groups", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all", "--"]

/** One of the project's own containers. */
const begin = (name: string, more: Record<string, string> = {}): Program.Program => {
  const command: ReadonlyArray<string> = compose.services[name].command ?? startOfImage
  const environment = { HOME: "/var/lib/agon", ...ofImage, ...environmentOf(name), ...more }
  return Program.launch("setpriv", [...asUser, ...command], environment, "/var/lib/agon")
}
const healthy = (name: string, more: Record<string, string> = {}): boolean => {
  const [kind, ...test]: ReadonlyArray<string> = compose.services[name].healthcheck.test
  const [command, ...args] = kind === "CMD-SHELL" ? ["sh", "-c", ...test] : test
  return spawnSync(command!, args, { env: { PATH, ...more }, stdio: "ignore" }).status === 0
}
const becomesHealthy = async (name: string, program: Program.Program, more: Record<string, string> = {}) => {
  await eventuallyAsync(`a healthy ${name}`, () => {
    if (program.over()) throw new Hopeless(`${name} ended: ${program.log()}`)
    return healthy(name, more)
  })
  saw(`${name} is healthy`)
}
const stopped = async (name: string, program: Program.Program) => {
  const grace_s = Number(/^(\d+)s$/.exec(compose.services[name].stop_grace_period ?? "10s")![1])
  const began = performance.now()
  process.kill(program.pid, "SIGTERM")
  const { status } = await program.ended
  const took_s = (performance.now() - began) / 1_000
  holds(
    `${name} ends with status 0 within ${grace_s} s`,
    status === 0 && took_s < grace_s,
    () => `${status} after ${took_s} s: ${program.log()}`
  )
}

/** As the image's entry point makes it from the file's variables. */
const postgres = async () => {
  const { POSTGRES_DB, POSTGRES_PASSWORD, POSTGRES_USER } = environmentOf("postgres")
  const bin = readdirSync("/usr/lib/postgresql")
    .map((major) => `/usr/lib/postgresql/${major}/bin`)
    .at(-1)!
  const data = join(directory, "postgres")
  const [uid, gid] = ["-u", "-g"].map((id) => Number(spawnSync("id", [id, "postgres"], { encoding: "utf8" }).stdout))
  mkdirSync(data)
  chownSync(data, uid!, gid!)
  const words = join(directory, "password")
  writeFileSync(words, POSTGRES_PASSWORD!)
  chownSync(words, uid!, gid!)
  const made = spawnSync(`${bin}/initdb`, ["-D", data, "-U", POSTGRES_USER!, "--pwfile", words, "--auth=scram-sha-256", "-E", "UTF8"], {
    ...{ uid: uid!, gid: gid!, cwd: "/", encoding: "utf8" }
  })
  if (made.status !== 0) throw new Error(made.stdout + made.stderr)
  writeFileSync(join(data, "pg_hba.conf"), "host all all 172.30.0.0/24 scram-sha-256\n")
  const settings = ["listen_addresses=postgres", `unix_socket_directories=${data}`].flatMap((one) => ["-c", one])
  const identity = ["--reuid", String(uid), "--regid", String(gid), "--clear-groups", "--"]
  const program = Program.launch("setpriv", [...identity, `${bin}/postgres`, "-D", data, ...settings], {}, "/")
  await becomesHealthy("postgres", program, { PGHOST: "postgres" })
  const made_database = spawnSync(
    "psql",
    ["-h", "postgres", "-U", POSTGRES_USER!, "-d", "postgres", "-c", `CREATE DATABASE ${POSTGRES_DB}`],
    {
      ...{ env: { PATH, PGPASSWORD: POSTGRES_PASSWORD! }, encoding: "utf8" }
    }
  )
  if (made_database.status !== 0) throw new Error(made_database.stderr)
  return program
}

/**
 * Its file lies where the volumes say, with this service as its only node; so do the
 * certificates that the file reads.
 */
const nginx = (s3_endpoint: string) => {
  const example = readFileSync(join(ROOT, "scripts/nginx.conf"), "utf8")
  const nodes = /(?: {2}server \S+ max_fails=1 fail_timeout=2s;\n)+/
  const places = new Map<string, string>(compose.services.nginx.volumes.map((one: string) => one.split(":")))
  writeFileSync(places.get("./nginx.conf")!, example.replace(nodes, "  server service:8080 max_fails=1 fail_timeout=2s;\n"))
  const objects = readFileSync(join(ROOT, "deploy/objects.conf"), "utf8")
  writeFileSync(places.get("./objects.conf")!, objects.replace("http://objects:9000", s3_endpoint))
  for (const file of `${example}\n${objects}`.matchAll(/^ *ssl_certificate(?:_key)? (\S+);$/gm)) {
    holds("the certificates are where nginx looks for them", file[1]!.startsWith(`${places.get("./certificate")}/`) && existsSync(file[1]!))
  }
  return Program.launch("nginx", ["-g", "daemon off;"], {})
}

/** As a browser does from the page that submits a version. */
const throughTls = (s3: Omit<S3Options, "bucket">) =>
  Effect.gen(function* () {
    const { presignPut, stat } = yield* ObjectStore
    const [key, bytes] = ["incoming/of-a-browser", new TextEncoder().encode("weights")]
    const sha256 = createHash("sha256").update(bytes).digest("hex")
    const { headers, method, url } = yield* presignPut({ key, sha256, max_bytes: bytes.length, expires_s: 60 })
    const { status } = yield* Effect.promise(() => fetch(url, { method, headers, body: bytes }))
    const lies = Option.isSome(yield* stat(key))
    if (!url.startsWith(`${ORIGIN}:9000/`) || status !== 200 || !lies) throw new Error(`${method} ${url}: ${status}`)
  }).pipe(Effect.provide(S3Objects.layer({ ...s3, endpoint: `${ORIGIN}:9000`, bucket: "agon" })), Effect.runPromise)

const main = async () => {
  const s3 = Context.get(await Effect.runPromise(Layer.buildWithScope(S3Server.layer, scope)), S3Server)
  const { stub } = await Effect.runPromise(Scope.provide(StubProvider.started, scope))
  secrets["S3_ENDPOINT"] = s3.endpoint
  secrets["S3_SECRET_ACCESS_KEY"] = Redacted.value(s3.secretAccessKey)
  secrets["AUTH_PROVIDERS"] = JSON.stringify([StubProvider.openIdConfig(PROVIDER, stub.origin)])
  secrets["AGON_ADMIN"] = `${PROVIDER}:admin`

  holds("nothing is healthy before it runs", !healthy("service") && !healthy("postgres", { PGHOST: "postgres" }))
  await postgres()
  const service = begin("service", { S3_ACCESS_KEY_ID: s3.accessKeyId })
  await becomesHealthy("service", service)
  const site = begin("site")
  const proxy = nginx(s3.endpoint)
  await eventuallyAsync("the front page of a service without seasons, through nginx", async () => {
    for (const one of [site, proxy]) if (one.over()) throw new Hopeless(one.log())
    const page = await fetch(ORIGIN)
    return page.ok && (page.headers.get("content-type") ?? "").startsWith("text/html")
  })
  saw("the site through nginx")
  holds("metrics where the file has them", (await fetch("http://service:9464/metrics")).ok)
  const plain = await fetch("http://agon.example/v1/status", { redirect: "manual" })
  holds("what comes without TLS is sent on to it", plain.headers.get("location") === `${ORIGIN}/v1/status`, () => plain.status)

  await throughTls(s3)
  saw("an upload to the S3 server under TLS, by a signed address")

  const browser = new Browser()
  await StubProvider.signInThrough(PROVIDER, browser, ORIGIN, "admin")
  const admin = new Visitor(ORIGIN, browser.cookie(ORIGIN, "service_session"))
  secrets["AGON_RUNNER_KEY"] = (await admin.post("/v1/runner-keys", { name: "compose" })).key
  const runner = begin("runner")
  await Competition.open(admin, { boards: ["open-7"], baselines: ["straight-on", "careless"] })
  await Competition.rated(new Visitor(ORIGIN), 1)
  saw("a match is rated", { runner: runner.lines()[0] })
  const [match] = (await new Visitor(ORIGIN).get(`/v1/matches?season=${Competition.SEASON}&limit=1`)).items ?? []
  const page = await fetch(`${ORIGIN}/games/${Competition.GAME}/seasons/${Competition.SEASON}`)
  holds("its season has a page", page.status === 200, () => page.status)
  if (match !== undefined) holds("and the match has one", (await fetch(`${ORIGIN}/matches/${match.id}`)).status === 200)
  for (const [name, program] of [
    ["runner", runner],
    ["site", site],
    ["service", service]
  ] as const)
    await stopped(name, program)
  holds("the service is not healthy any more", !healthy("service"))
}

// The namespace of processes ends with this one, and everybody in it.
main().then(
  () => process.exit(0),
  (error) => {
    console.error(error)
    process.exit(1)
  }
)
