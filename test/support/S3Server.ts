/**
 * A real S3 server for tests: OpenStack Swift with its s3api, from Debian's packages (scripts/apt-packages.txt), one
 * replica, on free loopback ports, with its data in a temporary directory. It takes a second and a half of CPU to start
 * (s3_server.py); radosgw would need a whole Ceph cluster. It has SigV4 in headers and in queries,
 * path-style, conditional copies, ETags, XML errors; it ignores `x-amz-checksum-sha256`, checks `x-amz-content-sha256`
 * only where the signature is a header, and refuses a presigned request that carries it.
 *
 * The server hangs on a pipe of this process: however the tests end, kill -9 included, the pipe closes, the server
 * ends, and the shell around it stops memcached by its id and removes the directory.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync } from "node:fs"
import { tmpdir, userInfo } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer, Redacted } from "effect"
import { freePort } from "./freePort.ts"

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

const PROGRAMS = ["proxy", "account", "container", "object"].map((name) => `/usr/bin/swift-${name}-server`)
const ACCESS_KEY = "agon:tester"
const SECRET_KEY = "testing"
const START_TIMEOUT_MS = 60_000

/** Why there is no S3 server on this machine, or undefined where there is one. */
export const missingS3 = (): string | undefined => {
  const missing = [...PROGRAMS, "/usr/bin/memcached", "/usr/bin/python3"].filter((path) => !existsSync(path))
  return missing.length === 0 ? undefined : `no S3 server installed (${missing.join(", ")}; see scripts/apt-packages.txt)`
}

const SCRIPT = `/usr/bin/memcached -l 127.0.0.1 -p "$PORT" -m 16 $AS </dev/null & memcached=$!
trap "" INT TERM HUP
/usr/bin/python3 "$PROGRAM" "$DIRECTORY/swift" "$PORT" "$KEY" "$SECRET"
kill $memcached; wait; rm -rf "$DIRECTORY"`

const start = async () => {
  const env = {
    PATH: "/usr/bin:/bin",
    PROGRAM: join(import.meta.dirname, "s3_server.py"),
    DIRECTORY: mkdtempSync(join(tmpdir(), "agon-test-s3-")),
    PORT: String(await freePort()),
    AS: userInfo().uid === 0 ? "-u nobody" : "",
    KEY: ACCESS_KEY,
    SECRET: SECRET_KEY
  }
  // Detached: an interrupt typed at the terminal must not reach the server before the tests have ended.
  const server = spawn("sh", ["-c", SCRIPT], { env, detached: true, stdio: ["pipe", "pipe", "inherit"] })
  server.stdin.on("error", () => undefined)
  const ended = new Promise<void>((done) => server.on("close", () => done()))
  const stop = async () => {
    server.stdin.end()
    await ended
  }
  const endpoint = await firstLine(server, ended).catch(async (cause) => {
    await stop()
    throw cause
  })
  return { endpoint, region: "us-east-1", accessKeyId: ACCESS_KEY, secretAccessKey: Redacted.make(SECRET_KEY), stop }
}

/** The server prints its endpoint once it answers there. */
const firstLine = (server: ChildProcess, ended: Promise<void>) =>
  new Promise<string>((done, fail) => {
    const late = setTimeout(() => fail(new Error("the S3 server did not come up in time")), START_TIMEOUT_MS)
    let text = ""
    server.stdout?.on("data", (chunk) => {
      text += String(chunk)
      if (!text.includes("\n")) return
      clearTimeout(late)
      done(text.trim())
    })
    void ended.then(() => {
      clearTimeout(late)
      fail(new Error("the S3 server ended before it came up; its output is above"))
    })
  })
