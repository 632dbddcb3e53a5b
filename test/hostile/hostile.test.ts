/**
 * No request, from anybody, holds the loop for more than 50 ms, is answered with more than 1 MiB, or is our
 * fault; and a stranger beside it is answered. Every route of the API gets its worst bodies, queries, paths
 * and headers, and then all of them get people who send and read slowly. Time is charged as the smaller of
 * how late the loop was and what its thread worked, the best of a few tries, so that a busy machine is not
 * taken for a busy loop. AGON_SLOW=1 sends all attacks instead of a few of each kind; AGON_SEED draws others.
 */

import { connect, type Socket } from "node:net"
import { Api } from "@agon/api/Api.ts"
import { bodyBytes } from "@agon/api/bodyBytes.ts"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { HttpApi, OpenApi } from "effect/http-api"
import { randomOf } from "../support/Fuzz.ts"
import { type Operation, operationsOf, resolver } from "../support/Operations.ts"
import { slow } from "../support/slow.ts"
import { Attacked, type Said } from "./Attacked.ts"
import { type Attack, attacksOn } from "./attacks.ts"
import type { Figures, Target } from "./host.ts"

const seed = Number(process.env["AGON_SEED"] ?? 20_261_122)
const many = slow ? 8 : 2

const LOOP_MS = 50
const PROBE_MS = 250
const ANSWER_BYTES = 1024 * 1024
/** A refusal: ten faults and a sentence. */
const REFUSAL_BYTES = 16 * 1024
/** Of answers that wait for one connection; bytes beyond it wait until their receiver reads. */
const UNREAD_BYTES = 256 * 1024
/** Before it counts against a request that it was slow. */
const TRIES = 8
/**
 * Before it counts that so much is held: requests under way hold more than their answers, and on a busy
 * machine they are long under way.
 */
const WEIGHED_TIMES = 60

const names = new Map<string, string>()
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint: { identifier, method, path } }) => void names.set(`${method} ${path.replace(/:(\w+)/g, "{$1}")}`, identifier)
})
const document = OpenApi.fromApi(Api)
const operations = new Map<string, Operation>(operationsOf(document).map((operation) => [operation.route, operation]))

/** The service's cost for a request, of which a part may be the machine's. */
const charged = ({ cpu_ms, loop_ms }: Figures) => Math.min(cpu_ms, loop_ms)

describe(`under attack, by seed ${seed}`, () => {
  let service: Attacked
  beforeAll(async () => {
    service = await Attacked.started()
  })
  afterAll(() => service.stop())

  /** Sends it until it has cost no more than it may, or often enough. */
  const costOf = async (attack: Attack): Promise<{ readonly said: Said; readonly held_ms: number; readonly probe_ms: number }> => {
    let [held_ms, probe_ms] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    let said: Said | undefined
    for (let i = 0; i < TRIES && (held_ms > LOOP_MS || probe_ms > PROBE_MS); i++) {
      const [[answer, waited_ms], figures] = await service.measured(() => Promise.all([service.send(attack), service.probe()]))
      said = answer
      held_ms = Math.min(held_ms, charged(figures))
      probe_ms = Math.min(probe_ms, waited_ms, figures.cpu_ms + LOOP_MS) // the rest of the wait was not for this thread
    }
    return { said: said!, held_ms, probe_ms }
  }

  const faultsOf = async (target: Target, attack: Attack): Promise<ReadonlyArray<string>> => {
    const { held_ms, probe_ms, said } = await costOf(attack)
    const faults = [
      ...(held_ms > LOOP_MS ? [`held the loop for ${held_ms.toFixed(0)} ms`] : []),
      ...(probe_ms > PROBE_MS ? [`kept a stranger waiting for ${probe_ms.toFixed(0)} ms`] : []),
      ...(said.status >= 500 && said.status !== 503 ? ["is our fault"] : []),
      ...(said.bytes > (said.status >= 400 ? REFUSAL_BYTES : ANSWER_BYTES) ? [`was answered with ${said.bytes} bytes`] : [])
    ]
    return faults.map((fault) => `${target.route}, ${attack.what}: ${fault}; ${said.status} ${said.start.slice(0, 200)}`)
  }

  it("every route answers the worst that can be sent to it quickly, briefly and as its caller's fault", async () => {
    const random = randomOf(seed)
    const faults: Array<string> = []
    let sent = 0
    for (const target of service.targets) {
      const operation = operations.get(target.route)
      if (operation === undefined) continue // it is no operation of the API
      const plan = { operation, name: names.get(target.route)!, resolve: resolver(document), random, many }
      for (const attack of attacksOn(target, plan)) {
        sent++
        faults.push(...(await faultsOf(target, attack)))
      }
    }
    process.stdout.write(`${sent} attacks on ${service.targets.length} routes, seed ${seed}\n`)
    assert.isAbove(sent, 5 * service.targets.length)
    assert.deepStrictEqual(faults.slice(0, 40), [], `${faults.length} faults of seed ${seed}`)
  })

  /** Connections that have said this and then neither say nor read anything. */
  const linger = async (said: ReadonlyArray<string>): Promise<ReadonlyArray<Socket>> => {
    const open = said.map(
      (words) =>
        new Promise<Socket>((resolve) => {
          const socket = connect(service.port, "127.0.0.1", () => socket.write(words, () => resolve(socket)))
          socket.on("error", () => resolve(socket)).pause()
        })
    )
    return Promise.all(open)
  }

  /** Strangers are answered while others linger, and the service holds no more than this for what those have sent. */
  const whileLingering = async (said: ReadonlyArray<string>, bound_bytes: (sent_bytes: number) => number) => {
    const before = await service.weight()
    const [sockets, arrival] = await service.measured(() => linger(said))
    let probe_ms = Number.POSITIVE_INFINITY
    for (let i = 0; i < TRIES && probe_ms > PROBE_MS; i++) {
      const [waited_ms, { cpu_ms }] = await service.measured(() => service.probe())
      probe_ms = Math.min(probe_ms, waited_ms, cpu_ms + LOOP_MS)
    }
    const bytes = said.reduce((sum, words) => sum + Buffer.byteLength(words), 0)
    let grown_bytes = Number.POSITIVE_INFINITY
    for (let i = 0; i < WEIGHED_TIMES && grown_bytes > bound_bytes(bytes); i++) grown_bytes = (await service.weight()) - before
    for (const socket of sockets) socket.destroy()
    const each = `${said.length} connections, ${bytes} bytes sent, ${grown_bytes} bytes held, ${charged(arrival).toFixed(0)} ms`
    process.stdout.write(`${each}, a stranger waits for ${probe_ms.toFixed(1)} ms\n`)
    assert.isAtMost(probe_ms, PROBE_MS)
    assert.isAtMost(grown_bytes, bound_bytes(bytes))
  }

  const headOf = ({ headers, method, url }: Target, more = "") =>
    `${method} ${url} HTTP/1.1\r\nHost: x\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join("")}${more}\r\n`

  it("bodies that never end keep nobody waiting, and are held once", async () => {
    const writing = service.targets.filter(({ route }) => operations.get(route)?.body !== undefined)
    const each = slow ? 20 : 4
    const said = writing.flatMap((target) => {
      const bytes = bodyBytes(names.get(target.route)!)
      const body = `["${"x".repeat(bytes - 3)}` // all but the end
      return Array<string>(each).fill(headOf(target, `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n`) + body)
    })
    await whileLingering(said, (sent_bytes) => 10 * sent_bytes)
  })

  it("answers that nobody reads keep nobody waiting, and are held in bounds", async () => {
    const reading = service.targets.filter(({ method }) => method === "GET")
    const said = reading.flatMap((target) => Array<string>(slow ? 10 : 2).fill(headOf(target).repeat(20)))
    await whileLingering(said, () => said.length * UNREAD_BYTES)
  })
})
