/** `scripts/doctor`, with every fault provoked really: what it says, and its exit status. */

import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Secrets from "@agon/server/config/Secrets.ts"
import * as S3Objects from "@agon/server/object/s3/S3Objects.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import pg from "pg"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import * as Certificates from "../support/Certificates.ts"
import { freePort } from "../support/freePort.ts"
import * as Postgres from "../support/Postgres.ts"
import { missingS3, S3Server } from "../support/S3Server.ts"
import { missingSmtpServer, smtpServer } from "../support/SmtpServer.ts"
import { leftOut } from "../support/slow.ts"

const MAIN = join(import.meta.dirname, "../../packages/server/src/doctor/main.ts")
const home = mkdtempSync(join(tmpdir(), "agon-doctor-"))
const servers: Array<Server> = []
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(home, { recursive: true, force: true })
})

type Environment = Readonly<Record<string, string>>

let port: number
let metrics: number
let database: string
beforeAll(async () => {
  port = await freePort()
  metrics = await freePort()
  database = Redacted.value(await Effect.runPromise(Postgres.url({ migrate: true, durable: true })))
})

let folders = 0
/** A data directory that a service has used: private, with all secrets. */
const used = () => {
  const directory = join(home, `data-${(folders += 1)}`)
  mkdirSync(directory, { mode: 0o700 })
  Effect.runSync(Secrets.load(directory))
  return directory
}

const doctor = (over: Environment = {}, args: ReadonlyArray<string> = []) => {
  const own = { DATABASE_URL: database, AGON_DEV_SIGNIN: "1", PORT: String(port), AGON_METRICS: `127.0.0.1:${metrics}` }
  const env = { PATH: process.env["PATH"] ?? "", AGON_DATA: over["AGON_DATA"] ?? used(), ...own, ...over }
  return new Promise<{ readonly status: number; readonly said: string }>((done) =>
    execFile(process.execPath, [MAIN, ...args], { cwd: home, env }, (error, out, err) =>
      done({ status: Number(error?.code ?? 0), said: out + err })
    )
  )
}

/** A port that is listened on by something else. */
const taken = async () => {
  const number = await freePort()
  const server = createServer((socket) => socket.destroy())
  servers.push(server)
  await new Promise<void>((done) => server.listen(number, "127.0.0.1", () => done()))
  return number
}

const sql = (url: string, ...statements: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (client) => Effect.forEach(statements, (one) => client.unsafe(one))).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
    )
  )

describe("the doctor", () => {
  it("has nothing to mend where nothing is wrong, says so in JSON as well, and makes nothing", async () => {
    const AGON_DATA = join(home, "not-there")
    const { said, status } = await doctor({ AGON_DATA })
    assert.deepStrictEqual([status, said.includes("MEND"), said.includes("BROKEN")], [0, false, false], said)
    const json = JSON.parse((await doctor({ AGON_DATA }, ["--json"])).said)
    assert.strictEqual(json.status, 0)
    const checks = [
      "configuration",
      "directory",
      "secrets",
      "database",
      "migrations",
      "durability",
      "clock",
      "connections",
      "objects",
      "ports"
    ]
    assert.deepStrictEqual([...new Set(json.findings.map((one: { check: string }) => one.check))], checks)
    assert.notInclude(readdirSync(home), "not-there")
  })

  it("does not examine what it was not asked", async () => {
    const { said, status } = await doctor({}, ["--fast"])
    assert.deepStrictEqual([status, said.startsWith("Usage:")], [2, true])
  })

  const emptied = async (...statements: ReadonlyArray<string>) => {
    const url = Redacted.value(await Effect.runPromise(Postgres.url({ migrate: true, durable: true })))
    await sql(url, ...statements)
    return { DATABASE_URL: url }
  }

  it("names every variable of ours that nothing reads, and none of the runner's, the site's or other programs'", async () => {
    const others = { AGON_URL: "http://localhost", AGON_RUNNER_SLOTS: "2", AGON_SITE_PORT: "8081", EDITOR: "vi" }
    const { said, status } = await doctor({ AGON_RUNERS: "2", AGON_DATASET: "off", ...others })
    assert.deepStrictEqual(
      said.split("\n").filter((line) => line.includes("nothing reads")),
      ["AGON_DATASET", "AGON_RUNERS"].map(
        (name) => `MEND    configuration: ${name}: nothing reads it; docs/operating.md#configuration has all variables`
      )
    )
    assert.strictEqual(status, 1)
  })

  it("names a runtime that no runner has, and not one as runners say theirs", async () => {
    const runtime = `onnxruntime-web 1.29.0 ${"0af".repeat(21)}1 node 22`
    const { said, status } = await doctor({ AGON_RUNTIMES: `x, ${runtime}` })
    const found = said.split("\n").filter((line) => line.includes("AGON_RUNTIMES"))
    assert.strictEqual(found.length, 1, said)
    assert.match(found[0]!, /^MEND {4}configuration: AGON_RUNTIMES: no runner of this project says "x"; it takes a runtime_version of /)
    assert.strictEqual(status, 1)
  })

  it("names a parameter of DATABASE_URL that nothing reads, as one by which somebody thinks that TLS is spoken", async () => {
    const url = new URL((await emptied()).DATABASE_URL)
    for (const [name, value] of [
      ["ssl", "true"],
      ["application_name", "mine"],
      ["se cret", "1"]
    ] as const)
      url.searchParams.append(name, value)
    const { said, status } = await doctor({ DATABASE_URL: url.href, AGON_DEV_SIGNIN: "1" })
    assert.deepStrictEqual(
      said.split("\n").filter((line) => line.includes("nothing reads")),
      ["its parameter ssl", "one of its parameters"].map(
        (which) =>
          `MEND    configuration: DATABASE_URL: nothing reads ${which}; it takes host, port, user, password, dbname, application_name, options, connect_timeout, sslmode, and sslmode=require for TLS`
      )
    )
    assert.strictEqual(status, 1, said)
  })

  it("names what is in a directory that no service has used yet, and nothing beside what a service has made there", async () => {
    const AGON_DATA = join(home, "a-home")
    mkdirSync(AGON_DATA, { mode: 0o700 })
    for (const name of ["notes", ".profile", "photos", "letters"]) writeFileSync(join(AGON_DATA, name), "")
    const { said, status } = await doctor({ AGON_DATA })
    assert.match(said, /^MEND {4}directory: AGON_DATA: .*a-home holds other things \(\.profile, letters, notes, \.\.\.\), which stay /m)
    assert.strictEqual(status, 1)
    mkdirSync(join(AGON_DATA, "secrets"), { mode: 0o700 })
    assert.strictEqual((await doctor({ AGON_DATA })).status, 0)
  })

  it("names every variable that is not understood, each by itself", async () => {
    const { said, status } = await doctor({ PORT: "http", LOG_LEVEL: "loud" })
    assert.match(said, /^BROKEN {2}configuration: PORT: held "http"; it takes a port.*\nBROKEN {2}configuration: LOG_LEVEL:/)
    assert.strictEqual(status, 2)
  })

  it("finds files that others may read and programs that are away, with which the service starts", async () => {
    const AGON_DATA = used()
    chmodSync(AGON_DATA, 0o755)
    chmodSync(join(AGON_DATA, "secrets"), 0o755)
    chmodSync(join(AGON_DATA, "secrets/nodes"), 0o644)
    const [redis, collector, site] = [await freePort(), await freePort(), await freePort()]
    const away = { REDIS_URL: `redis://127.0.0.1:${redis}`, OTLP_URL: `http://127.0.0.1:${collector}`, AGON_SITE: `127.0.0.1:${site}` }
    const { said, status } = await doctor({ AGON_DATA, ...away })
    assert.match(said, /^MEND {4}directory: .* is open to other users; give it mode 0700$/m)
    assert.match(said, /^MEND {4}secrets: .*secrets is open to other users; give it mode 0700$/m)
    assert.match(said, /^MEND {4}secrets: .*secrets\/nodes can be read by other users; give it mode 0600$/m)
    assert.match(said, /^MEND {4}others: REDIS_URL: .* does not answer \(ECONNREFUSED\), so each node counts/m)
    assert.match(said, /^MEND {4}others: OTLP_URL: .* so spans and metrics are lost/m)
    assert.match(said, /^MEND {4}others: AGON_SITE: .* so visitors get no pages/m)
    assert.strictEqual(status, 1, said)
  })

  it("finds a secret that is too short, a store that is a file, a port that another program has, and an address of another machine", async () => {
    const AGON_DATA = used()
    writeFileSync(join(AGON_DATA, "secrets/nodes"), "short\n")
    writeFileSync(join(AGON_DATA, "objects"), "")
    const { said, status } = await doctor({ AGON_DATA, PORT: String(await taken()), AGON_METRICS: "203.0.113.9:9464" })
    assert.match(said, /^BROKEN {2}secrets: .*secrets\/nodes does not hold a secret; remove it/m)
    assert.match(said, /^BROKEN {2}objects: .* cannot be used \(ENOTDIR\)/m)
    assert.match(said, /^BROKEN {2}ports: PORT: another program listens on/m)
    assert.match(said, /^BROKEN {2}ports: AGON_METRICS: 203\.0\.113\.9:9464 cannot be listened on \(EADDRNOTAVAIL\)/m)
    assert.strictEqual(status, 2, said)
  })

  it("finds a directory that the start would refuse, and leaves it as it is", async () => {
    const place = (name: string) => join(home, name)
    symlinkSync(place("nowhere"), place("a-link"))
    writeFileSync(place("a-file"), "")
    mkdirSync(place("somebodys"))
    writeFileSync(place("somebodys/letters"), "")
    const refused: ReadonlyArray<readonly [string, RegExp]> = [
      ["a-link", /a-link is a link that leads nowhere; make its target$/],
      ["a-file", /a-file is no directory; it takes a directory of its own$/],
      ["a-file/data", /a-file\/data cannot be made by this user in .*a-file \(ENOTDIR\); name a directory that can$/],
      ["somebodys", /somebodys holds other things and is open to others; it takes a directory of its own$/]
    ]
    for (const [name, says] of refused) {
      const { said, status } = await doctor({ AGON_DATA: place(name) })
      const line = said.split("\n").find((one) => one.startsWith("BROKEN  directory: AGON_DATA: "))
      assert.match(line ?? said, says)
      assert.strictEqual(status, 2, said)
    }
    assert.deepStrictEqual([readdirSync(place("somebodys")), readdirSync(home).includes("nowhere")], [["letters"], false])
  })

  it("finds an embedded database whose password is gone, and a bucket that nobody serves", async () => {
    const AGON_DATA = used()
    mkdirSync(join(AGON_DATA, "postgres"))
    writeFileSync(join(AGON_DATA, "postgres/PG_VERSION"), "18\n")
    rmSync(join(AGON_DATA, "secrets/postgres"))
    const bucket = { S3_BUCKET: "models", S3_ACCESS_KEY_ID: "a", S3_SECRET_ACCESS_KEY: "b" }
    const { said, status } = await doctor({ AGON_DATA, DATABASE_URL: "", S3_ENDPOINT: `http://127.0.0.1:${await freePort()}`, ...bucket })
    assert.match(said, /^MEND {4}secrets: .*secrets\/postgres is missing, .* the next start makes another/m)
    assert.notInclude(readdirSync(join(AGON_DATA, "secrets")), "postgres", "it makes none itself")
    assert.match(said, /^BROKEN {2}objects: S3_ENDPOINT: bucket models .*ECONNREFUSED/m)
    assert.strictEqual(status, 2, said)
  })

  const databases: ReadonlyArray<readonly [string, () => Environment | Promise<Environment>, number, RegExp]> = [
    ["nobody serves", async () => ({ DATABASE_URL: `postgres://x@127.0.0.1:${await freePort()}/x` }), 2, /DATABASE_URL: .*ECONNREFUSED/],
    [
      "has a schema of a later release",
      () => emptied("INSERT INTO agon_migration (migration_id, name) VALUES (9999, 'later')"),
      1,
      /migration 9999, which this release does not know; it works beside later nodes/
    ],
    [
      "has a schema that needs a later release",
      () => emptied("INSERT INTO agon_migration (migration_id, name) VALUES (9999, 'needs_9998_drops')"),
      2,
      /migration 9999, after which only releases with migration 9998 can use it/
    ],
    [
      "waits for migrations",
      () => emptied("DELETE FROM agon_migration WHERE migration_id > 30"),
      1,
      /\d+ migrations wait for the next start; make a backup/
    ],
    [
      "takes no writes",
      () => emptied(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`),
      2,
      /BROKEN {2}database: DATABASE_URL: the database takes no writes; set default_transaction_read_only to off/
    ],
    [
      "answers before commits are on its disk",
      () => emptied(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`),
      1,
      /MEND {4}durability: the database has synchronous_commit off, so a crash loses results .*; set it to on$/m
    ],
    [
      "shows no schema",
      () => emptied(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = nowhere', current_database()); END $$`),
      2,
      /BROKEN {2}database: DATABASE_URL: no schema of its search_path is there for the role/
    ]
  ]
  it.each(databases)("finds a database that %s", async (_, provoke, expected, says) => {
    const { said, status } = await doctor(await provoke())
    assert.match(said, says)
    assert.strictEqual(status, expected, said)
  })

  it("finds a role that may have fewer connections than a node takes", async () => {
    const { DATABASE_URL } = await emptied("CREATE ROLE few LOGIN CONNECTION LIMIT 9", "GRANT ALL ON ALL TABLES IN SCHEMA public TO few")
    const { said, status } = await doctor({ DATABASE_URL: DATABASE_URL!.replace("agon@", "few@") })
    assert.match(
      said,
      /^MEND {4}connections: 8 of 9 connections are free, and a node takes up to \d+; raise max_connections, or the limit of the role/m
    )
    assert.strictEqual(status, 1, said)
  })

  it("counts the connections of others, also for a role that may not look at them", async () => {
    const { DATABASE_URL } = await emptied("CREATE ROLE low LOGIN", "GRANT ALL ON ALL TABLES IN SCHEMA public TO low")
    const others = Array.from({ length: 5 }, () => new pg.Client(DATABASE_URL))
    for (const client of others) await client.connect()
    const { said } = await doctor({ DATABASE_URL: DATABASE_URL!.replace("agon@", "low@") })
    for (const client of others) await client.end()
    const [, free, max] = /connections: (\d+) of (\d+) connections are free/.exec(said) ?? assert.fail(said)
    assert.isAtLeast(Number(max) - Number(free), others.length + 1, said)
  })

  it("finds a clock that is not the database's, as far as the service believes it and further", async () => {
    // The tables of a schema come first on the path, so this function is the one that the statement finds.
    const skewed = async (seconds: number) => {
      const { DATABASE_URL } = await emptied(
        `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS $$ SELECT pg_catalog.clock_timestamp() + interval '${seconds} s' $$`,
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = public, pg_catalog', current_database()); END $$`
      )
      return doctor({ DATABASE_URL: DATABASE_URL! })
    }
    const near = await skewed(-20)
    assert.deepStrictEqual(
      [near.status, /MEND {4}clock: this machine's clock is \d+\.\d s ahead of the database's; set both by NTP/.test(near.said)],
      [1, true],
      near.said
    )
    const far = await skewed(200)
    assert.deepStrictEqual(
      [far.status, /BROKEN {2}clock: .* s behind the database's, too far to be believed/.test(far.said)],
      [2, true],
      far.said
    )
  })

  it.skipIf(Certificates.missingOpenssl() !== undefined)(
    "finds a certificate that ends soon, one without its key, of another host or authority, and a key that others may read",
    async () => {
      const { ca, node, remove, stranger } = Certificates.make()
      try {
        const env = { AGON_NODE: `127.0.0.1:${await freePort()}`, AGON_NODE_CERT: node.cert, AGON_NODE_CA: ca }
        const wrong = await doctor({ ...env, AGON_NODE_KEY: stranger.key })
        assert.deepStrictEqual(
          [wrong.status, /BROKEN {2}certificates: AGON_NODE_KEY: .* it takes the key of/.test(wrong.said)],
          [2, true],
          wrong.said
        )
        const away = await doctor({ ...env, AGON_NODE: `127.0.0.2:${await freePort()}`, AGON_NODE_KEY: node.key })
        assert.match(away.said, /BROKEN {2}certificates: AGON_NODE_CERT: it is not for 127\.0\.0\.2, the host of AGON_NODE, so no node/)
        const other = await doctor({ ...env, AGON_NODE_CERT: stranger.cert, AGON_NODE_KEY: stranger.key })
        assert.match(other.said, /BROKEN {2}certificates: AGON_NODE_CERT: the authority in AGON_NODE_CA has not signed it/)
        chmodSync(node.key, 0o644)
        const soon = await doctor({ ...env, AGON_NODE_KEY: node.key })
        assert.match(
          soon.said,
          /MEND {4}certificates: AGON_NODE_CERT: it ends in \d+ days; renew it, and restart the node, which shows the old one until then/
        )
        assert.match(soon.said, /MEND {4}certificates: AGON_NODE_KEY: .* can be read by other users; give it mode 0600/)
        assert.strictEqual(soon.status, 1, soon.said)
      } finally {
        remove()
      }
    }
  )

  it.skipIf((missingSmtpServer() ?? Certificates.missingOpenssl()) !== undefined)(
    "signs in at a real mail server, and finds a password, a certificate and an address that do not serve",
    async () => {
      const { ca, node, remove } = Certificates.make()
      try {
        await Effect.gen(function* () {
          const { relay } = yield* smtpServer(node)
          const MAIL_FROM = "agon@agon.example"
          const url = (password: string, port = relay.port) => `smtp://agon:${password}@127.0.0.1:${port}`
          const asked = (env: Environment) => Effect.promise(() => doctor({ MAIL_FROM, ...env }))
          const right = yield* asked({ SMTP_URL: url("correct%20horse"), NODE_EXTRA_CA_CERTS: ca })
          assert.match(right.said, /fine {4}mail: SMTP_URL: 127\.0\.0\.1:\d+ answers, and takes the user and the password/)
          assert.strictEqual(right.status, 0, right.said)
          const wrong = yield* asked({ SMTP_URL: url("wrong"), NODE_EXTRA_CA_CERTS: ca })
          assert.match(wrong.said, /MEND {4}mail: SMTP_URL: .* cannot be used \(535\), so nobody is mailed; mend the user and the password/)
          const unknown = yield* asked({ SMTP_URL: url("correct%20horse") })
          assert.match(unknown.said, /MEND {4}mail: .*\(bad_tls\).* certificate that Node or NODE_EXTRA_CA_CERTS trusts/)
          const away = yield* asked({ SMTP_URL: url("wrong", yield* Effect.promise(freePort)) })
          assert.match(away.said, /MEND {4}mail: .*\(unreachable\).* start it or mend the address/)
          assert.deepStrictEqual([wrong.status, unknown.status, away.status], [1, 1, 1])
        }).pipe(Effect.scoped, Effect.runPromise)
      } finally {
        remove()
      }
    }
  )

  it.skipIf(leftOut("the doctor at a real bucket: 12 s") ?? missingS3())(
    "writes, reads and removes an object in a real bucket, makes none, and finds keys that are refused",
    async () => {
      await Effect.gen(function* () {
        const { accessKeyId, endpoint, region, secretAccessKey } = yield* S3Server
        const env = { S3_ENDPOINT: endpoint, S3_REGION: region, S3_BUCKET: "doctor", S3_ACCESS_KEY_ID: accessKeyId }
        const secret = { S3_SECRET_ACCESS_KEY: Redacted.value(secretAccessKey) }
        const first = yield* Effect.promise(() => doctor({ ...env, ...secret, AGON_DATA: join(home, "new") }))
        assert.match(first.said, /^fine {4}objects: bucket doctor is not there; the first start makes it$/m)
        const misspelt = yield* Effect.promise(() => doctor({ ...env, ...secret }))
        assert.match(
          misspelt.said,
          /^MEND {4}objects: bucket doctor is not there, .*; where the service has had another, name that in S3_/m
        )
        assert.strictEqual(misspelt.status, 1, misspelt.said)
        yield* Effect.scoped(Layer.build(S3Objects.layer({ ...(yield* S3Server), bucket: "doctor" })))
        const right = yield* Effect.promise(() => doctor({ ...env, ...secret }))
        assert.match(right.said, /an object was written to bucket doctor, read and removed/)
        assert.strictEqual(right.status, 0, right.said)
        const wrong = yield* Effect.promise(() => doctor({ ...env, S3_SECRET_ACCESS_KEY: "wrong" }))
        assert.match(
          wrong.said,
          /S3_ENDPOINT: bucket doctor .*: 403; look at S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and what they may do there$/m
        )
        assert.strictEqual(wrong.status, 2)
      }).pipe(Effect.provide(S3Server.layer), Effect.runPromise)
    }
  )
})
