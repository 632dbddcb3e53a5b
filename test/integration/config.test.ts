import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { otlpUrl, options as runnerOptions } from "@agon/runner/runner/Options.ts"
import { faultOf, prepare } from "@agon/server/config/dataDirectory.ts"
import * as Secrets from "@agon/server/config/Secrets.ts"
import { load } from "@agon/server/config/Settings.ts"
import { options as siteOptions } from "@agon/site/Options.ts"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger, Redacted } from "effect"

const settings = (env: Record<string, string>) =>
  Effect.provideService(load, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

const refusal = (env: Record<string, string>) => Effect.map(Effect.flip(settings(env)), ({ message }) => message)

/** Every variable with values that it does not take. */
const BAD: Record<string, ReadonlyArray<string>> = {
  PORT: ["http", "0", "65536", "-1", "80.5", "1e3"],
  HOST: ["two hosts", "host/path", "localhost:8080", "0.0.0.0:80", "fe80:::1"],
  PUBLIC_ORIGIN: ["agon.example", "https://agon.example/path", "ftp://agon.example", "https://user@agon.example", "https://agon.example?x"],
  AGON_DATA: ["\0", `"/srv/agon"`, "'/srv/agon'", "~/agon", "$HOME/agon"],
  DATABASE_URL: [
    "localhost:5432",
    "mysql://localhost/x",
    "postgres://agon:100%@db/agon",
    "postgres://db/agon?sslmode=verify_full",
    "postgres://db/agon?connect_timeout=5s"
  ],
  AGON_NODE_CERT: ["\0", `"node.crt"`],
  AGON_NODE_KEY: ["\0"],
  AGON_NODE_CA: ["\0"],
  AGON_METRICS: ["9464", "on", "127.0.0.1", "127.0.0.1:0", "http://127.0.0.1:9464"],
  AGON_DEV_SIGNIN: ["yes", "true"],
  AGON_NODE: ["10.0.0.5", "0.0.0.0:7070", "[::]:7070", "10.0.0.5:0", "http://10.0.0.5:7070", "[10.0.0.5]:7070", "fd00::5:7070", "a b:1"],
  AGON_DEMO: ["yes", "2"],
  AGON_ADMIN: ["admin", "dev:", "github:octocat", ":x", "dev:two words"],
  AGON_RUNNERS: ["-1", "65", "one", "1.5"],
  S3_ENDPOINT: ["s3.example", "ftp://s3.example", "https://key:secret@s3.example", "https://s3.example?region=x"],
  S3_REGION: ["eu west"],
  S3_BUCKET: ["ab", "a/b", "-bucket"],
  S3_ACCESS_KEY_ID: ["a b"],
  S3_SECRET_ACCESS_KEY: ["a b"],
  AUTH_PROVIDERS: ["github", "{}", "[]", `[{"slug":"github"}]`, `[{"slug":"corp","client_id":"a","client_secret":"b"}]`],
  AGON_REPLAY_CHECK: ["2", "-0.1", "all", "1.01", "NaN"],
  AGON_AUDIT: ["2%", "1.5"],
  AGON_REPLAY_DAYS: ["-1", "1.5", "30d", "ever", "36501"],
  AGON_DATASETS: ["on", "1", "All"],
  TRUSTED_PROXIES: ["proxy.example", "10.0.0.0/33", "::1/129", "10.0.0.1, x", "0.0.0.0/0", "::/0", "10.0.0.0/7"],
  REDIS_URL: ["localhost:6379", "http://localhost", "redis://localhost/limits", "redis://:100%@localhost"],
  SMTP_URL: ["mail.example", "http://mail.example", "smtp://mail.example/in", "smtp://ada@mail.example", "smtp://ada:%@mail.example"],
  MAIL_FROM: ["agon", "Agon <agon>", "<agon@agon.example", "A\nB <agon@agon.example>", "a@b, c@d"],
  OTLP_URL: ["collector:4318", "grpc://collector", "https://agon:secret@collector", "https://collector/#x"],
  OTLP_SHARE: ["1.5", "-1", "all"],
  LOG_LEVEL: ["verbose"]
}

describe("the environment", () => {
  it.effect("without a variable, the service runs by itself on this machine", () =>
    Effect.gen(function* () {
      const { directory, ...rest } = yield* settings({})
      assert.strictEqual(directory, join(process.cwd(), ".agon"))
      assert.deepStrictEqual(rest, {
        host: "127.0.0.1",
        port: 8080,
        public_origin: "http://localhost:8080",
        database_url: undefined,
        node: undefined,
        node_tls: undefined,
        metrics: { address: { host: "127.0.0.1", port: 9464 }, asked: false },
        demo: true,
        admin: { provider: "dev", login: "admin" },
        runner_slots: 1,
        site: "own",
        s3: undefined,
        providers: [],
        development_sign_in: true,
        replay_check: 1,
        audit: 0.02,
        replay_days: 0,
        datasets: "all",
        runtimes: [],
        trusted_proxies: [],
        redis_url: undefined,
        mail: undefined,
        otlp_url: undefined,
        otlp_share: 1,
        log_level: "Info"
      })
    })
  )

  it.effect("with every variable, each is taken", () =>
    Effect.gen(function* () {
      const all = yield* settings({
        HOST: "0.0.0.0",
        PORT: "9000",
        PUBLIC_ORIGIN: "https://agon.example/",
        DATABASE_URL: "postgres://agon:pw@db.example:5432/agon?sslmode=require",
        AGON_NODE: "[fd00::5]:7070",
        AGON_NODE_CERT: "node.crt",
        AGON_NODE_KEY: "node.key",
        AGON_NODE_CA: "ca.crt",
        AGON_METRICS: "10.0.0.5:9100",
        AGON_DEV_SIGNIN: "0",
        AGON_DATA: "/srv/agon",
        AGON_DEMO: "1",
        AGON_ADMIN: "github:octocat",
        AGON_RUNNERS: "2",
        S3_ENDPOINT: "http://127.0.0.1:9001",
        S3_BUCKET: "agon",
        S3_ACCESS_KEY_ID: "id",
        S3_SECRET_ACCESS_KEY: "key",
        AUTH_PROVIDERS: `[{"slug":"github","client_id":"a","client_secret":"b"},{"slug":"corp","label":"Corp","kind":"oidc","issuer":"http://127.0.0.1:4000","client_id":"c","client_secret":"d","scopes":["openid"],"login_claim":"name"}]`,
        AGON_REPLAY_CHECK: "0",
        AGON_AUDIT: ".5",
        AGON_REPLAY_DAYS: "90",
        AGON_DATASETS: "matches",
        TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8 fd00::/8",
        REDIS_URL: "rediss://:pw@redis.example/2",
        SMTP_URL: "smtp://agon:p%40w@mail.example",
        MAIL_FROM: "Agon <agon@agon.example>",
        OTLP_URL: "http://collector:4318",
        OTLP_SHARE: "0.05",
        LOG_LEVEL: "debug"
      })
      assert.deepStrictEqual([all.host, all.port, all.public_origin, all.directory], ["0.0.0.0", 9000, "https://agon.example", "/srv/agon"])
      assert.strictEqual(Redacted.value(all.database_url!), "postgres://agon:pw@db.example:5432/agon?sslmode=require")
      assert.deepStrictEqual(all.node, { host: "fd00::5", port: 7070 })
      assert.deepStrictEqual(all.node_tls, { cert: "node.crt", key: "node.key", ca: "ca.crt" })
      assert.deepStrictEqual(all.metrics, { address: { host: "10.0.0.5", port: 9100 }, asked: true })
      assert.deepStrictEqual([all.demo, all.admin, all.runner_slots], [true, { provider: "github", login: "octocat" }, 2])
      assert.deepStrictEqual(
        [all.s3?.endpoint, all.s3?.region, Redacted.value(all.s3!.secretAccessKey)],
        ["http://127.0.0.1:9001", "us-east-1", "key"]
      )
      assert.deepStrictEqual(
        all.providers.map(({ slug, label, kind }) => ({ slug, label, kind })),
        [
          { slug: "github", label: "GitHub", kind: "oauth2" },
          { slug: "corp", label: "Corp", kind: "oidc" }
        ]
      )
      const { from, relay } = all.mail!
      assert.deepStrictEqual(from, { name: "Agon", address: "agon@agon.example" })
      assert.deepStrictEqual(
        [relay.host, relay.port, relay.implicit_tls, relay.clear_text, relay.auth?.user, Redacted.value(relay.auth!.password)],
        ["mail.example", 587, false, false, "agon", "p@w"]
      )
      assert.isFalse(all.development_sign_in)
      assert.deepStrictEqual([all.replay_check, all.audit, all.datasets, all.log_level], [0, 0.5, "matches", "Debug"])
      assert.deepStrictEqual(all.trusted_proxies, ["127.0.0.1", "10.0.0.0/8", "fd00::/8"])
    })
  )

  it.effect(
    "where DATABASE_URL is set, no runner is started and no demo is made unless asked for; without providers of its own admin is dev's",
    () =>
      Effect.gen(function* () {
        const { admin, demo, runner_slots } = yield* settings({ DATABASE_URL: "postgresql://db/agon", AGON_DEV_SIGNIN: "1" })
        assert.deepStrictEqual({ admin, demo, runner_slots }, { admin: { provider: "dev", login: "admin" }, demo: false, runner_slots: 0 })
        const github = yield* settings({ AUTH_PROVIDERS: `[{"slug":"github","client_id":"a","client_secret":"b"}]` })
        assert.isUndefined(github.admin)
      })
  )

  it.effect("an empty value is none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* settings(Object.fromEntries(Object.keys(BAD).map((name) => [name, ""]))), yield* settings({}))
    })
  )

  for (const [name, values] of Object.entries(BAD))
    it.effect(`${name}: a bad value is one line that names it, what it held and what it takes`, () =>
      Effect.gen(function* () {
        for (const value of values) {
          const line = yield* refusal({ [name]: value })
          const held = line.split(" | ").find((part) => part.startsWith(`${name}: held `))
          assert.match(held ?? line, new RegExp(`^${name}: held .+; it takes .+$`), value)
        }
      })
    )

  it.effect("everything wrong is named at once", () =>
    Effect.gen(function* () {
      const line = yield* refusal({ PORT: "x", AGON_AUDIT: "y", LOG_LEVEL: "z" })
      assert.deepStrictEqual(line.match(/[A-Z_]+: held "."/g), [`PORT: held "x"`, `AGON_AUDIT: held "y"`, `LOG_LEVEL: held "z"`])
    })
  )

  it.effect("a node among others needs their database", () =>
    Effect.gen(function* () {
      assert.match(
        yield* refusal({ AGON_NODE: "10.0.0.5:7070" }),
        /^DATABASE_URL: not set, and nodes \(AGON_NODE\) share one database; it takes /
      )
    })
  )

  it.effect("certificates of nodes are set whole or not at all, and for a node", () =>
    Effect.gen(function* () {
      const half = { AGON_NODE_KEY: "node.key", AGON_NODE: "10.0.0.5:7070", DATABASE_URL: "postgres://db/agon", AGON_DEV_SIGNIN: "1" }
      assert.match(yield* refusal(half), /^AGON_NODE_CERT: not set, [^|]+ \| AGON_NODE_CA: not set, [^|]+$/)
      const alone = { AGON_NODE_CERT: "a", AGON_NODE_KEY: "b", AGON_NODE_CA: "c" }
      assert.match(yield* refusal(alone), /^AGON_NODE: not set, though certificates of nodes are; it takes [^|]+$/)
    })
  )

  it.effect("metrics are on loopback unless asked for elsewhere, or off", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* settings({ AGON_METRICS: "off" })).metrics)
      const asked = yield* settings({ AGON_METRICS: "[::1]:9465" })
      assert.deepStrictEqual(asked.metrics, { address: { host: "::1", port: 9465 }, asked: true })
    })
  )

  it.effect("the development sign-in starts neither behind a proxy nor beside a database or a bucket of one's own, unless asked for", () =>
    Effect.gen(function* () {
      const bucket = { S3_ENDPOINT: "https://s3.example", S3_BUCKET: "agon", S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "key" }
      const beside: ReadonlyArray<Record<string, string>> = [{ DATABASE_URL: "postgres://db/agon" }, bucket]
      for (const env of beside) {
        assert.match(yield* refusal(env), /^AUTH_PROVIDERS: not set, and [^|]*AGON_DEV_SIGNIN=1; it takes JSON [^|]*$/)
        assert.isTrue((yield* settings({ ...env, AGON_DEV_SIGNIN: "1" })).development_sign_in)
      }
      const open: ReadonlyArray<Record<string, string>> = [
        { HOST: "0.0.0.0", PUBLIC_ORIGIN: "https://agon.example" },
        { PUBLIC_ORIGIN: "https://agon.example" },
        { TRUSTED_PROXIES: "127.0.0.1" }
      ]
      for (const env of open)
        assert.match(yield* refusal({ ...env, AGON_DEV_SIGNIN: "1" }), /^AUTH_PROVIDERS: not set, and the development/)
      assert.match(yield* refusal({ AGON_DEV_SIGNIN: "0" }), /^AUTH_PROVIDERS: not set, and AGON_DEV_SIGNIN=0 /)
      const github = { AUTH_PROVIDERS: `[{"slug":"github","client_id":"a","client_secret":"b"}]` }
      assert.match(yield* refusal({ ...github, AGON_DEV_SIGNIN: "1" }), /^AGON_DEV_SIGNIN: held "1"; it takes /)
    })
  )

  it.effect("an origin that others see is said, and has TLS, or cookies would go in the clear and sign-ins nowhere", () =>
    Effect.gen(function* () {
      const github = { AUTH_PROVIDERS: `[{"slug":"github","client_id":"a","client_secret":"b"}]` }
      assert.match(yield* refusal({ ...github, HOST: "0.0.0.0" }), /^PUBLIC_ORIGIN: not set, though HOST 0\.0\.0\.0 /)
      assert.match(
        yield* refusal({ ...github, PUBLIC_ORIGIN: "http://agon.example" }),
        /^PUBLIC_ORIGIN: held "http:\/\/agon\.example"; it takes https/
      )
      const served = yield* settings({ ...github, HOST: "0.0.0.0", PUBLIC_ORIGIN: "https://agon.example" })
      assert.strictEqual(served.public_origin, "https://agon.example")
    })
  )

  it.effect("secrets are never repeated", () =>
    Effect.gen(function* () {
      const secret = "hunter2hunter2"
      const lines = yield* Effect.forEach(
        [
          { DATABASE_URL: `mysql://agon:${secret}@db/agon` },
          { DATABASE_URL: `host=db password=${secret}` },
          { REDIS_URL: `http://:${secret}@redis` },
          { S3_SECRET_ACCESS_KEY: `${secret} ${secret}` },
          { S3_ENDPOINT: `ftp://key:${secret}@s3` },
          { AUTH_PROVIDERS: `[{"client_secret":"${secret}"}]` },
          { AUTH_PROVIDERS: `[{"client_secret":"${secret}"` },
          { AUTH_PROVIDERS: `[{"slug":"github","client_id":{"x":"${secret}"},"client_secret":["${secret}"]}]` },
          { PUBLIC_ORIGIN: `https://agon:${secret}@agon.example` },
          { DATABASE_URL: `postgres://agon:${secret}%@db/agon` },
          { S3_ENDPOINT: `https://key:${secret}@s3` },
          { OTLP_URL: `https://agon:${secret}@collector` },
          { SMTP_URL: `http://agon:${secret}@mail` },
          { SMTP_URL: `smtp://agon:${secret}@mail/%` }
        ] as ReadonlyArray<Record<string, string>>,
        refusal
      )
      for (const line of lines) assert.notInclude(line, secret)
      assert.include(lines[0], `held "mysql://***@db/agon"`)
      assert.include(lines[7], "lacks a proper client_id, client_secret")
    })
  )

  it.effect("a HOST with a port is told where the port stands", () =>
    Effect.gen(function* () {
      const takes = "it takes an address or a name of this machine to listen on"
      assert.strictEqual(yield* refusal({ HOST: "0.0.0.0:80" }), `HOST: held "0.0.0.0:80" (a port stands in PORT); ${takes}`)
      assert.strictEqual((yield* settings({ HOST: "::1" })).host, "::1")
    })
  )

  it.effect("S3 is set whole or not at all, and a HOST that others reach needs real providers", () =>
    Effect.gen(function* () {
      const half = yield* refusal({ S3_BUCKET: "agon", S3_ACCESS_KEY_ID: "id" })
      assert.match(half, /^S3_ENDPOINT: not set, [^|]+; it takes [^|]+ \| S3_SECRET_ACCESS_KEY: not set, [^|]+; it takes [^|]+$/)
      for (const HOST of ["0.0.0.0", "::", "192.168.1.2"]) assert.match(yield* refusal({ HOST }), /^AUTH_PROVIDERS: not set, [^\n]*HOST/)
      assert.match(yield* refusal({ PUBLIC_ORIGIN: "https://agon.example" }), /^AUTH_PROVIDERS: not set, [^\n]*PUBLIC_ORIGIN/)
      for (const HOST of ["localhost", "127.0.0.1", "127.1.2.3", "::1"]) assert.strictEqual((yield* settings({ HOST })).host, HOST)
    })
  )
})

describe("the address of the service", () => {
  const of = <A, E>(reads: Effect.Effect<A, E>, env: Record<string, string>) =>
    Effect.provideService(reads, ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))

  it.effect("runner and site refuse one with a user, with which no request is sent, and do not repeat its password", () =>
    Effect.gen(function* () {
      const key = { AGON_RUNNER_KEY: "agon_rk_x" }
      for (const AGON_URL of ["https://ada:hunter2@agon.example", "ftp://ada:hunter2@agon.example", "https://agon.example?key=hunter2"])
        for (const options of [runnerOptions, siteOptions]) {
          const { message } = yield* Effect.flip(of<unknown, { readonly message: string }>(options, { ...key, AGON_URL }))
          assert.match(
            message,
            /^AGON_URL: what it holds (is no http\(s\) address|has a user or a password, and no request carries these|goes on behind a \? or #)\.$/
          )
          assert.notInclude(message, "hunter2")
        }
      const { message } = yield* Effect.flip(of(otlpUrl, { OTLP_URL: "https://ada:hunter2@collector" }))
      assert.match(message, /^OTLP_URL: it takes /)
      assert.strictEqual((yield* of(runnerOptions, { ...key, AGON_URL: "https://agon.example/" })).url, "https://agon.example")
    })
  )
})

describe("AGON_DATA", () => {
  const temporary = Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-config-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true }))
  )

  it.effect("is made with mode 0700, and one that stood open is closed", () =>
    Effect.gen(function* () {
      const home = yield* temporary
      yield* prepare(join(home, "new/data"))
      assert.strictEqual(statSync(join(home, "new/data")).mode & 0o777, 0o700)
      mkdirSync(join(home, "open"))
      chmodSync(join(home, "open"), 0o755)
      yield* prepare(join(home, "open"))
      assert.strictEqual(statSync(join(home, "open")).mode & 0o777, 0o700)
      assert.deepStrictEqual(readdirSync(join(home, "open")), [])
    })
  )

  it.effect("is not taken from others: one that is open and holds other things is refused and stays as it is", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "tmp")
      mkdirSync(path)
      chmodSync(path, 0o777)
      writeFileSync(join(path, "somebody's"), "")
      const { message } = yield* Effect.flip(prepare(path))
      assert.match(
        message,
        /^AGON_DATA: .*tmp cannot be used by this user \(it holds other things and is open to others\); it takes [^\n]+$/
      )
      assert.strictEqual(statSync(path).mode & 0o777, 0o777)
      mkdirSync(join(path, "secrets")) // left open by a copy
      yield* prepare(path)
      yield* Secrets.load(path)
      for (const closed of [path, join(path, "secrets")]) assert.strictEqual(statSync(closed).mode & 0o777, 0o700, closed)
    })
  )

  it.effect("says once of a directory that it shares with other things, and leaves them there", () =>
    Effect.gen(function* () {
      const path = yield* temporary // of mode 0700
      writeFileSync(join(path, "somebody's"), "")
      const lines: Array<string> = []
      const told = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
      yield* Effect.provide(prepare(path), told)
      yield* Secrets.load(path)
      yield* Effect.provide(prepare(path), told)
      assert.deepStrictEqual(lines, [
        `AGON_DATA: ${path} holds other things (somebody's), which stay as they are; it takes a directory of its own`
      ])
      assert.isTrue(existsSync(join(path, "somebody's")))
    })
  )

  it.effect("a file in its place is refused in one line", () =>
    Effect.gen(function* () {
      const path = join(yield* temporary, "data")
      writeFileSync(path, "")
      const { message } = yield* Effect.flip(prepare(path))
      assert.match(message, /^AGON_DATA: .*data cannot be used by this user \(E[A-Z]+\); it takes a directory of its own[^\n]*$/)
      assert.isTrue(existsSync(path))
    })
  )

  it.effect.skipIf(process.platform !== "linux")("where no folder can be made, as under /proc, is refused in one line", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(prepare("/proc/agon/data"))
      assert.strictEqual(message, "AGON_DATA: /proc/agon/data cannot be used by this user (ENOENT); it takes a directory of its own")
    })
  )

  it.effect("a link that leads nowhere, in its place or above it, is refused by its name", () =>
    Effect.gen(function* () {
      const home = yield* temporary
      const link = join(home, "link")
      symlinkSync(join(home, "nowhere"), link)
      const expected = `AGON_DATA: ${link} is a link that leads nowhere; make its target`
      for (const path of [link, join(link, "data")]) {
        assert.strictEqual((yield* Effect.flip(prepare(path))).message, expected, path)
        assert.strictEqual(`AGON_DATA: ${faultOf(path)}`, expected, "the doctor says the same")
      }
      mkdirSync(join(home, "nowhere"))
      assert.strictEqual(yield* prepare(join(link, "data")), join(link, "data"))
    })
  )

  it.effect("keeps the same random secrets from the first start on, closed to others", () =>
    Effect.gen(function* () {
      const home = yield* temporary
      const values = (secrets: Secrets.Secrets) => Object.values(secrets).map((secret: Redacted.Redacted) => Redacted.value(secret))
      const [first, second] = yield* Effect.all([Secrets.load(home), Secrets.load(home)])
      assert.deepStrictEqual(values(first), values(second))
      assert.strictEqual(new Set(values(first)).size, 7)
      for (const secret of values(first)) assert.isAtLeast(Buffer.from(secret, "base64url").length, 32)
      for (const name of readdirSync(join(home, "secrets")))
        assert.strictEqual(statSync(join(home, "secrets", name)).mode & 0o777, 0o600, name)
      writeFileSync(join(home, "secrets/state-cookie"), "short")
      assert.match(
        (yield* Effect.flip(Secrets.load(home))).message,
        /^AGON_DATA: the secrets in .* state-cookie does not hold a secret|^AGON_DATA: .*state-cookie/
      )
    })
  )
})
