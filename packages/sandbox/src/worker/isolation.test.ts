import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { type Command, commandsFor } from "./isolation.ts"
import { boundedByEvents } from "./testing/testBudget.ts"
import type { ProbeAnswer } from "./testing/testProbe.ts"

boundedByEvents(vi)

const directory = mkdtempSync(join(tmpdir(), "agon-secret-"))
const secret = join(directory, "secret")
writeFileSync(secret, "the runner's key")
const listener = createServer((socket) => socket.destroy())
beforeAll(() => new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve)))
afterAll(() => {
  rmSync(directory, { recursive: true })
  return new Promise<void>((resolve) => listener.close(() => resolve()))
})

const probe = ({ args, command, cwd }: Command) =>
  new Promise<ProbeAnswer>((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: {}, stdio: ["ignore", "ignore", "pipe", "ipc"] })
    let said = ""
    child.stderr!.on("data", (chunk) => (said += chunk))
    child.on("exit", (code) => reject(new Error(`the probe ended with ${code}: ${said}`)))
    child.on("message", (answer: ProbeAnswer) => {
      resolve(answer)
      child.disconnect()
    })
    child.send({ port: (listener.address() as AddressInfo).port, secret })
  })

const permitted = commandsFor(fileURLToPath(new URL("./testing/testProbe.ts", import.meta.url)))

describe("a program in the sandbox's place", () => {
  for (const [at, command] of permitted.entries()) {
    const { isolation } = command
    it(`reads, writes, starts and loads nothing but its code under ${isolation}, the way ${at + 1} on this machine`, async () => {
      const { ownCode, network, ...others } = await probe(command)
      assert.match(ownCode!, /^done/)
      const allowed = Object.entries(others).filter(([, said]) => said.startsWith("done"))
      assert.deepStrictEqual(allowed, [])
      for (const what of ["passwords", "secret", "secretInThread", "write", "overwrite", "program"])
        assert.match(others[what]!, /^ERR_ACCESS_DENIED$/, `${what}: ${others[what]}`)
      // Namespaces keep the network away; Node's permissions of this version know none, as the README says.
      if (isolation === "process") assert.strictEqual(network, "done")
      else assert.match(network!, /^(ECONNREFUSED|ENETUNREACH)$/)
    })
  }
})
