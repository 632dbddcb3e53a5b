/** Asks between nodes over real connections: frames as they should be and as they should not, other releases, and nodes that die. */

import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, Redacted, type Scope } from "effect"
import * as Certificates from "../../../../test/support/Certificates.ts"
import { eventually } from "../../../../test/support/eventually.ts"
import type { NodeTls } from "../config/nodeTls.ts"
import { AskConnection } from "./AskConnection.ts"
import { type AnswerAsk, ASK_BYTES_MAX, ASKS_MAX, makeAskServer } from "./AskServer.ts"
import { nodesCredential } from "./credential.ts"
import { encodeFrames, FrameReader } from "./FrameReader.ts"
import { FRAMES } from "./FrameSocket.ts"
import { ASKS_PATH, PeerLink } from "./PeerLink.ts"
import { makePeerServer } from "./peerServer.ts"

const SECRET = Redacted.make("secret")
const CREDENTIAL = nodesCredential(SECRET)
const HEAD = `GET ${ASKS_PATH} HTTP/1.1\r\nhost: here\r\nauthorization: ${CREDENTIAL}\r\nconnection: Upgrade\r\nupgrade: ${FRAMES}\r\n\r\n`

const listening = Effect.fnUntraced(function* (server: Server) {
  const [requests, sockets] = [[] as Array<string>, new Set<Socket>()]
  server.prependListener("request", ({ method }) => requests.push(method!))
  server.on("connection", (socket: Socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
  const port = (server.address() as AddressInfo).port
  const kill = () => {
    server.close()
    for (const socket of sockets) socket.resetAndDestroy()
  }
  yield* Effect.addFinalizer(() => Effect.sync(kill))
  return { address: `127.0.0.1:${port}`, port, requests, sockets, kill, server }
})

/** A node that answers asks over connections that are upgraded, and by POST with `by POST`. */
const node = Effect.fnUntraced(function* (answer: AnswerAsk, tls?: NodeTls) {
  const server = makePeerServer(tls, CREDENTIAL, { path: ASKS_PATH, asks: yield* makeAskServer(answer) })
  server.on("request", (_, response) => response.end("by POST"))
  return yield* listening(server)
})

/** A node of a release that knows no upgrade, and closes the connection of who asks for one. */
const olderNode = Effect.suspend(() => {
  const server = createServer((_, response) => response.end("by POST"))
  server.on("upgrade", (_request, socket) => socket.destroy())
  return listening(server)
})

const link = Effect.map(PeerLink, (link) => link!)
const linked = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>) =>
  effect.pipe(Effect.provide(PeerLink.layerOf({ host: "127.0.0.1", port: 1 }, SECRET, undefined)), Effect.scoped)

const echo: AnswerAsk = (text) => Effect.succeed({ status: 200, text: `${text}!` })

/** A stranger to the protocol who has the credential: writes what it likes after the upgrade. */
const upgraded = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined)
      const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
      socket.write(HEAD)
      await new Promise((resolve) => socket.once("data", resolve))
      return { socket, closed: Effect.promise(() => closed) }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

const logged = (lines: Array<unknown>) => Logger.layer([Logger.make(({ message }) => void lines.push(message))])

const LISTENS = `const server = require("node:net").createServer()
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => process.send(server.address().port))`

/** The address of a program that is stopped, with as many connections as wait for it: whoever connects hears nothing, as from a machine that is gone. */
const gone = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, ["-e", LISTENS], { stdio: ["ignore", "inherit", "inherit", "ipc"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const port = yield* Effect.promise(() => new Promise<number>((resolve) => child.once("message", (port) => resolve(Number(port)))))
  child.kill("SIGSTOP")
  const waiting = yield* Effect.acquireRelease(
    Effect.sync(() => Array.from({ length: 8 }, () => connect(port, "127.0.0.1").on("error", () => undefined))),
    (sockets) => Effect.sync(() => sockets.forEach((socket) => socket.destroy()))
  )
  yield* eventually(
    "one that waits in vain beside those that have a place",
    Effect.sync(() => waiting.some(({ connecting }) => !connecting) && waiting.some(({ connecting }) => connecting))
  )
  return `127.0.0.1:${port}`
})

it.live("many asks go over one connection, each with its own answer, whatever their order", () =>
  linked(
    Effect.gen(function* () {
      const last = yield* Deferred.make<void>()
      const there = yield* node((text) => (text === "0" ? Effect.andThen(Deferred.await(last), echo(text)) : echo(text)))
      const { ask } = yield* link
      const first = yield* Effect.forkChild(ask(there.address, "0"))
      const texts = Array.from({ length: 1_000 }, (_, n) => `${n + 1} ä€😀`)
      const answers = yield* Effect.forEach(texts, (text) => ask(there.address, text), { concurrency: "unbounded" })
      const wrong = answers.filter(({ status, text }, n) => status !== 200 || text !== `${texts[n]}!`)
      assert.deepStrictEqual(wrong.slice(0, 3), [])
      yield* Deferred.succeed(last, undefined)
      assert.strictEqual((yield* Fiber.join(first)).text, "0!")
      const long = "x".repeat(5_000_000)
      assert.strictEqual((yield* ask(there.address, long)).text.length, long.length + 1)
      assert.deepStrictEqual([there.sockets.size, there.requests], [1, []])
    })
  )
)

it.live("an ask that is longer than a frame may be goes by POST", () =>
  linked(
    Effect.gen(function* () {
      const there = yield* node(echo)
      const { ask } = yield* link
      assert.strictEqual((yield* ask(there.address, "x".repeat(ASK_BYTES_MAX))).text.length, ASK_BYTES_MAX + 1)
      assert.strictEqual((yield* ask(there.address, "x".repeat(ASK_BYTES_MAX + 1))).text, "by POST")
      assert.strictEqual((yield* ask(there.address, "€".repeat(ASK_BYTES_MAX / 2))).text, "by POST")
    })
  )
)

it.live("a node of an earlier release is asked by POST, and a later one at its address over a connection again", () =>
  linked(
    Effect.gen(function* () {
      const older = yield* olderNode
      const { ask } = yield* link
      const answers = yield* Effect.forEach(["1", "2", "3"], (text) => ask(older.address, text), { concurrency: "unbounded" })
      assert.deepStrictEqual(new Set(answers.map(({ text }) => text)), new Set(["by POST"]))
      assert.strictEqual((yield* ask(older.address, "4")).text, "by POST")
      assert.deepStrictEqual(older.requests, ["POST", "POST", "POST", "POST"])
    })
  )
)

it.live("asks under way fail when their node is killed, those of other nodes do not, and its next life is asked anew", () =>
  linked(
    Effect.gen(function* () {
      const asked: Array<string> = []
      const silent: AnswerAsk = (text) =>
        Effect.andThen(
          Effect.sync(() => asked.push(text)),
          Effect.never
        )
      const [dies, lives] = [yield* node(silent), yield* node(echo)]
      const { ask } = yield* link
      const underWay = yield* Effect.forEach(["1", "2"], (text) => Effect.forkChild(Effect.exit(ask(dies.address, text))))
      yield* eventually(
        "two asks",
        Effect.sync(() => asked.length === 2)
      )
      dies.kill()
      for (const fiber of underWay) {
        const exit = yield* Fiber.join(fiber)
        assert.isTrue(Exit.isFailure(exit))
        assert.include(JSON.stringify(exit), "PeerAway")
      }
      assert.deepStrictEqual(asked, ["1", "2"])
      assert.strictEqual((yield* ask(lives.address, "3")).text, "3!")
      const refused = yield* Effect.flip(ask(dies.address, "4"))
      assert.match(refused.reason, /ECONNREFUSED/)
      const again = makePeerServer(undefined, CREDENTIAL, { path: ASKS_PATH, asks: yield* makeAskServer(echo) })
      yield* Effect.promise(() => new Promise<void>((resolve) => again.listen(dies.port, "127.0.0.1", resolve)))
      yield* Effect.addFinalizer(() => Effect.sync(() => again.close()))
      assert.strictEqual((yield* ask(dies.address, "5")).text, "5!")
    })
  )
)

it.live("a node that stops answers the asks under way, sends further ones elsewhere at once, and its server is closed then", () =>
  linked(
    Effect.gen(function* () {
      const [begun, goesOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const there = yield* node((text) =>
        Effect.andThen(Deferred.succeed(begun, undefined), Effect.andThen(Deferred.await(goesOn), echo(text)))
      )
      const { ask } = yield* link
      const underWay = yield* Effect.forkChild(ask(there.address, "1"))
      yield* Deferred.await(begun)
      const closed = yield* Effect.forkChild(Effect.promise(() => new Promise((resolve) => there.server.close(resolve))))
      yield* Effect.sleep("50 millis")
      assert.isUndefined(closed.pollUnsafe())
      assert.strictEqual((yield* Effect.timeout(ask(there.address, "2"), "1 second")).status, 404)
      yield* Deferred.succeed(goesOn, undefined)
      assert.strictEqual((yield* Fiber.join(underWay)).text, "1!")
      yield* Fiber.join(closed)
    })
  )
)

const BEGINNING = 20

it.live("a connection that is upgraded while its node stops is closed at once", () =>
  Effect.gen(function* () {
    const there = yield* node(echo)
    const socket = connect(there.port, "127.0.0.1").on("error", () => undefined)
    yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
    socket.resume()
    socket.write(HEAD.slice(0, BEGINNING))
    // A connection that has sent nothing is idle, and closed with its server.
    yield* eventually(
      "the beginning of a request",
      Effect.sync(() => [...there.sockets].some(({ bytesRead }) => bytesRead === BEGINNING))
    )
    const closed = yield* Effect.forkChild(Effect.promise(() => new Promise((resolve) => there.server.close(resolve))))
    const ended = Effect.promise(() => new Promise((resolve) => socket.once("close", resolve)))
    const end = yield* Effect.forkChild(ended)
    yield* Effect.yieldNow
    socket.write(HEAD.slice(BEGINNING))
    yield* Effect.timeout(Fiber.join(end), "20 seconds")
    yield* Fiber.join(closed)
  }).pipe(Effect.scoped)
)

it.live("what no node sends closes its connection with one line in the log, and the node goes on", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const there = yield* node((text) => (text === "bad" ? Effect.undefined : echo(text))).pipe(Effect.provide(logged(lines)))
    const tooLong = Buffer.alloc(10)
    tooLong.writeUInt32BE(ASK_BYTES_MAX + 1)
    for (const [bytes, reason] of [
      [tooLong, "longer"],
      [Buffer.alloc(64, 0xff), "longer"],
      [encodeFrames([{ id: 1, status: 200, text: "{}" }]), "an answer where asks are sent"],
      [encodeFrames([{ id: 1, status: 0, text: "bad" }]), "an ask that no node sends"]
    ] as const) {
      lines.length = 0
      const { closed, socket } = yield* upgraded(there.port)
      socket.write(bytes)
      yield* closed
      assert.strictEqual(lines.length, reason === "longer" && bytes !== tooLong ? 0 : 1, reason) // the second within a minute is left out
      if (lines.length > 0) assert.include(JSON.stringify(lines[0]), reason)
    }
    // Cut in the midst of a frame: nothing of it is answered.
    const { closed, socket } = yield* upgraded(there.port)
    socket.end(encodeFrames([{ id: 1, status: 0, text: "cut" }]).subarray(0, 12))
    yield* closed
    const { socket: sound } = yield* upgraded(there.port)
    const whole = encodeFrames([{ id: 7, status: 0, text: "in parts" }])
    const answer = new Promise<Buffer>((resolve) => sound.once("data", resolve))
    for (const byte of whole) {
      sound.write(Buffer.from([byte]))
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    assert.deepStrictEqual(new FrameReader(100).read(yield* Effect.promise(() => answer)), [{ id: 7, status: 200, text: "in parts!" }])
  }).pipe(Effect.scoped)
)

it.live("a listener that answers the upgrade and then other bytes fails its asks, with one line in the log", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const lines: Array<unknown> = []
      const server = createNetServer((socket) => {
        socket.on("error", () => undefined)
        socket.once("data", () => {
          socket.write(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${FRAMES}\r\n\r\n`)
          socket.on("data", () => socket.write(Buffer.alloc(64, 0xff)))
        })
      })
      const there = yield* listening(server as Server)
      const asked = link.pipe(Effect.flatMap(({ ask }) => Effect.flip(ask(there.address, "1"))))
      const away = yield* linked(asked).pipe(Effect.provide(logged(lines)))
      assert.strictEqual(away._tag, "PeerAway")
      assert.include(JSON.stringify(lines), "longer")
    })
  )
)

it.live("a node that does not read its answers is not read either, and others are answered meanwhile", () =>
  linked(
    Effect.gen(function* () {
      let answered = 0
      const text = "x".repeat(64 * 1024)
      const there = yield* node(() => Effect.sync(() => ({ status: ++answered > 0 ? 200 : 0, text })))
      const { socket } = yield* upgraded(there.port)
      socket.pause()
      const asks = encodeFrames(Array.from({ length: 100_000 }, (_, id) => ({ id, status: 0, text: "{}" })))
      socket.write(asks)
      let before = -1
      yield* eventually(
        "a standstill",
        Effect.sync(() => {
          const stands = answered === before
          before = answered
          return stands && answered > 0
        })
      )
      assert.isBelow(answered, 1_000)
      const { ask } = yield* link
      assert.strictEqual((yield* ask(there.address, "1")).text, text)
    })
  )
)

it.live("asks that nobody answers are taken up to a bound", () =>
  Effect.gen(function* () {
    let taken = 0
    const there = yield* node(() =>
      Effect.andThen(
        Effect.sync(() => taken++),
        Effect.never
      )
    )
    const { socket } = yield* upgraded(there.port)
    const one = (id: number) => ({ id, status: 0, text: "x".repeat(1_000) })
    socket.write(encodeFrames(Array.from({ length: 20_000 }, (_, id) => one(id))))
    yield* eventually(
      "the bound",
      Effect.sync(() => taken >= ASKS_MAX)
    )
    yield* Effect.sleep("100 millis")
    assert.strictEqual(taken, ASKS_MAX)
  }).pipe(Effect.scoped)
)

it.live("after an ask that met silence the next one dials anew, and what the first connection still answers is heard", () =>
  linked(
    Effect.gen(function* () {
      const later = yield* Deferred.make<void>()
      const there = yield* node((text) => (text === "never" ? Effect.never : Effect.andThen(Deferred.await(later), echo(text))))
      const { ask } = yield* link
      const slow = yield* Effect.forkChild(ask(there.address, "slow"))
      yield* eventually(
        "a connection",
        Effect.sync(() => there.sockets.size === 1)
      )
      yield* Effect.exit(Effect.timeout(ask(there.address, "never"), "100 millis"))
      const next = yield* Effect.forkChild(ask(there.address, "next"))
      yield* eventually(
        "a second connection",
        Effect.sync(() => there.sockets.size === 2)
      )
      yield* Deferred.succeed(later, undefined)
      assert.strictEqual((yield* Fiber.join(slow)).text, "slow!")
      assert.strictEqual((yield* Fiber.join(next)).text, "next!")
      yield* eventually(
        "one connection",
        Effect.sync(() => there.sockets.size === 1)
      )
    })
  )
)

const IN_TIME_MS = 30_000 // the system itself gives up after two minutes

it.live("a machine that is gone is dialled for seconds, and what waits for it then goes alone", () =>
  Effect.gen(function* () {
    const address = yield* gone
    const over: Array<boolean> = []
    const begun = performance.now()
    const dialled = new AskConnection({ address, path: ASKS_PATH, authorization: CREDENTIAL, tls: undefined }, ({ refused }) =>
      over.push(refused)
    )
    yield* Effect.addFinalizer(() => Effect.sync(() => dialled.close()))
    const alone: Array<string> = []
    const outcome = (what: string) => () => void alone.push(what)
    dialled.add({ text: "1", answered: outcome("answered"), away: outcome("away"), alone: outcome("alone") })
    yield* eventually(
      "the end of the dialling",
      Effect.sync(() => over.length === 1)
    )
    assert.isBelow(performance.now() - begun, IN_TIME_MS)
    assert.deepStrictEqual(alone, ["alone"])
    assert.deepStrictEqual(over, [false], "it has not refused the upgrade, as an earlier release does")
  }).pipe(Effect.scoped)
)

const missing = Certificates.missingOpenssl()
it.live.skipIf(missing !== undefined)(`over TLS asks share a connection too${missing === undefined ? "" : `: ${missing}`}`, () =>
  Effect.gen(function* () {
    const made = yield* Effect.acquireRelease(Effect.sync(Certificates.make), ({ remove }) => Effect.sync(remove))
    const tls = { ...Certificates.read(made.node), ca: readFileSync(made.ca) }
    const there = yield* node(echo, tls)
    const asked = Effect.flatMap(link, ({ ask }) => Effect.forEach(["1", "2"], (text) => ask(there.address, text)))
    const answers = yield* asked.pipe(Effect.provide(PeerLink.layerOf({ host: "127.0.0.1", port: 1 }, SECRET, tls)))
    assert.deepStrictEqual(
      answers.map(({ text }) => text),
      ["1!", "2!"]
    )
    assert.deepStrictEqual(there.requests, [])
  }).pipe(Effect.scoped)
)
