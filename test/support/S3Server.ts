/**
 * A real S3 server for tests: OpenStack Swift with its s3api, from Debian's packages (scripts/apt-packages.txt), one
 * replica, on free loopback ports, with its data in a temporary directory. It is up in about two seconds; radosgw would
 * need a whole Ceph cluster. What it is like: SigV4 in headers and in queries, path-style, conditional copies, ETags,
 * XML errors; it ignores `x-amz-checksum-sha256`, checks `x-amz-content-sha256` only where the signature is a header,
 * and refuses a presigned request that carries it.
 *
 * The processes hang on a pipe of this one: however the test process ends, kill -9 included, the pipe closes, and a
 * little shell stops them by their ids and removes the directory.
 */
import { Context, Effect, Layer, Redacted } from "effect"
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

export class S3Server extends Context.Service<
  S3Server,
  {
    readonly endpoint: string
    readonly region: string
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted<string>
  }
>()("agon/test/S3Server") {
  static readonly layer = Layer.effect(
    S3Server,
    Effect.acquireRelease(
      Effect.promise(() => start()),
      ({ stop }) => Effect.promise(stop)
    )
  )
}

const BACKENDS = ["account", "container", "object"] as const
const PROGRAMS = [...BACKENDS, "proxy"].map((name) => `/usr/bin/swift-${name}-server`)
const REGION = "us-east-1"
const ACCESS_KEY = "agon:tester"
const SECRET_KEY = "testing"
const START_TIMEOUT_MS = 60_000

/** Why there is no S3 server on this machine, or undefined where there is one. */
export const missingS3 = (): string | undefined => {
  const missing = [...PROGRAMS, "/usr/bin/memcached", "/usr/bin/python3"].filter((path) => !existsSync(path))
  return missing.length === 0 ? undefined : `no S3 server installed (${missing.join(", ")}; see scripts/apt-packages.txt)`
}

const freePorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = Array.from({ length: count }, () => createServer())
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.listen(0, "127.0.0.1", done))))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((done) => server.close(done))))
  return ports
}

const section = (name: string, values: Readonly<Record<string, string | number>>): string =>
  [`[${name}]`, ...Object.entries(values).map(([key, value]) => `${key} = ${value}`), ""].join("\n")

/** Part power 2, one replica, one device. */
const RINGS = `
import sys
from swift.common.ring import RingBuilder
directory, *servers = sys.argv[1:]
for server in servers:
    name, port = server.split(":")
    builder = RingBuilder(2, 1, 1)
    builder.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": int(port), "device": "d1", "weight": 1,
                     "replication_ip": "127.0.0.1", "replication_port": int(port)})
    builder.rebalance()
    builder.get_ring().save("%s/%s.ring.gz" % (directory, name))
`

const configure = (directory: string, ports: Readonly<Record<string, number>>): void => {
  const common = { bind_ip: "127.0.0.1", workers: 0, user: userInfo().username, swift_dir: directory, log_level: "CRITICAL" }
  const hash = section("swift-hash", { swift_hash_path_suffix: "agon", swift_hash_path_prefix: "agon" })
  writeFileSync(join(directory, "swift.conf"), hash + section("storage-policy:0", { name: "Policy-0", default: "yes" }))
  for (const name of BACKENDS) {
    const storage = { devices: join(directory, "devices"), mount_check: "false", fallocate_reserve: 0 }
    const text = [
      section("DEFAULT", { ...common, ...storage, bind_port: ports[name] ?? 0 }),
      section("pipeline:main", { pipeline: `${name}-server` }),
      section(`app:${name}-server`, { use: `egg:swift#${name}` })
    ]
    writeFileSync(join(directory, `${name}.conf`), text.join("\n"))
  }
  const plain = ["catch_errors", "copy", "slo", "dlo"].map((name) => section(`filter:${name}`, { use: `egg:swift#${name}` }))
  const text = [
    section("DEFAULT", { ...common, bind_port: ports["proxy"] ?? 0 }),
    section("pipeline:main", { pipeline: "catch_errors cache s3api tempauth copy slo dlo proxy-server" }),
    section("app:proxy-server", { use: "egg:swift#proxy", account_autocreate: "true" }),
    section("filter:cache", { use: "egg:swift#memcache", memcache_servers: `127.0.0.1:${ports["memcached"]}` }),
    section("filter:s3api", { use: "egg:swift#s3api", location: REGION }),
    section("filter:tempauth", { use: "egg:swift#tempauth", user_agon_tester: `${SECRET_KEY} .admin` }),
    ...plain
  ]
  writeFileSync(join(directory, "proxy.conf"), text.join("\n"))
}

/** Starts each line of its arguments in the background, and stops what it started when its input closes. */
const GUARD = `pids=; for line in "$@"; do $line </dev/null & pids="$pids $!"; done
trap "" INT TERM HUP # only now: what is ignored here would be ignored by the servers as well
cat >/dev/null; kill $pids; wait; rm -rf "$DIRECTORY"`

const start = async () => {
  const directory = mkdtempSync(join(tmpdir(), "agon-test-s3-"))
  const names = ["proxy", ...BACKENDS, "memcached"]
  const free = await freePorts(names.length)
  const ports = Object.fromEntries(names.map((name, index) => [name, free[index] ?? 0]))
  mkdirSync(join(directory, "devices/d1"), { recursive: true })
  configure(directory, ports)
  execFileSync("/usr/bin/python3", ["-c", RINGS, directory, ...BACKENDS.map((name) => `${name}:${ports[name]}`)], { env: {} })
  const user = userInfo().uid === 0 ? " -u nobody" : ""
  const lines = [
    `/usr/bin/memcached -l 127.0.0.1 -p ${ports["memcached"]} -m 16${user}`,
    ...[...BACKENDS, "proxy"].map((name) => `/usr/bin/swift-${name}-server ${join(directory, `${name}.conf`)}`)
  ]
  const guard = spawn("sh", ["-c", GUARD, "sh", ...lines], {
    // Without it Swift looks up `localhost` by DNS for a log that nobody reads, which takes ten seconds where there is none.
    env: { DIRECTORY: directory, PATH: "/usr/bin:/bin", EVENTLET_NO_GREENDNS: "yes" },
    detached: true, // an interrupt typed at the terminal must not reach the servers before the tests have ended
    stdio: ["pipe", "ignore", process.env["AGON_TEST_S3_LOG"] === undefined ? "ignore" : "inherit"]
  })
  guard.stdin.on("error", () => undefined)
  const ended = new Promise<void>((done) => guard.on("close", () => done()))
  const stop = async () => {
    guard.stdin.end()
    await ended
  }
  const endpoint = `http://127.0.0.1:${ports["proxy"]}`
  await ready(Object.values(ports), Date.now() + START_TIMEOUT_MS).catch(async (cause) => {
    await stop()
    throw cause
  })
  return { endpoint, region: REGION, accessKeyId: ACCESS_KEY, secretAccessKey: Redacted.make(SECRET_KEY), stop }
}

/** Every process has bound its port; Swift answers from then on. */
const ready = async (ports: ReadonlyArray<number>, until: number): Promise<void> => {
  for (const port of ports) {
    const probe = () => fetch(`http://127.0.0.1:${port}/healthcheck`, { signal: AbortSignal.timeout(1_000) }).then(() => true)
    // Memcached speaks no HTTP: it accepts, answers ERROR, and fetch says so with another code than "refused".
    const refused = (cause: unknown) => !String((cause as Error & { cause?: { code?: string } }).cause?.code).startsWith("ECONNREFUSED")
    while (!(await probe().catch(refused))) {
      if (Date.now() > until) throw new Error(`the S3 server did not come up: nothing listens on ${port}`)
      await setTimeout(50)
    }
  }
}
