/** A site whose service was killed while it started has nobody to tell its port, and ends as any site does whose service ends. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventuallyAsync } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"

const PROGRAM = join(import.meta.dirname, "../../packages/site/src/main.ts")

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true))
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy())
  })

const left = async () => {
  const port = await freePort()
  const env = {
    PATH: process.env["PATH"] ?? "",
    AGON_SITE_TIED: "1",
    AGON_SITE_PORT: String(port),
    AGON_URL: "http://127.0.0.1:1"
  }
  const site = spawn(process.execPath, [PROGRAM], { env, stdio: ["pipe", "ignore", "pipe", "ipc"] })
  site.disconnect()
  site.stderr!.resume()
  const ended = once(site, "exit")
  await eventuallyAsync("its port", async () => site.exitCode !== null || (await isListening(port)))
  site.stdin!.end()
  const [status] = await ended
  return status
}

it.live("a site that cannot tell its port ends in order", () => Effect.map(Effect.promise(left), (status) => assert.strictEqual(status, 0)))
