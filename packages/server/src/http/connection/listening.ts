/**
 * How a port is listened on. An address that cannot be listened on refuses the start in one line, which names the variable that sets it.
 */
import { createServer } from "node:net"
import { Effect, Layer } from "effect"
import type { HttpServerError } from "effect/http"
import { refuse, type StartRefused } from "../../config/StartRefused.ts"
import type { Address } from "../../config/variables.ts"

/**
 * Connections that the kernel keeps until the process takes them up; Linux allows net.core.somaxconn, 4,096 by default. Node's own
 * figure is 511, which a fleet that comes back after a restart fills within one turn of a busy loop: the kernel then drops what comes,
 * and a proxy that waits for a second takes the node for dead.
 */
export const BACKLOG = 4_096

export const cannotListen =
  (variable: string, address: Address) =>
  (error: HttpServerError.ServeError): Layer.Layer<unknown, StartRefused> =>
    Layer.effectContext(Effect.fail(refusal(variable, whyNot(address, error))))

const refusal = (variable: string, why: string) =>
  refuse(`${variable}: ${why}; it takes an address of this machine that nobody else listens on`)

/** `127.0.0.1:9464 cannot be listened on (EADDRINUSE)`. */
export const whyNot = (address: Address, { cause }: HttpServerError.ServeError) =>
  sentence(address, (cause as NodeJS.ErrnoException).code ?? cause)

const sentence = ({ host, port }: Address, code: unknown) =>
  `${host.includes(":") ? `[${host}]` : host}:${port} cannot be listened on (${code})`

/** Refuses in the same line where the address is not free now. It is let go at once, and may be taken again before it is listened on. */
export const tryAddress = (variable: string, address: Address): Effect.Effect<void, StartRefused> =>
  Effect.flatMap(
    Effect.promise(() => codeAt(address)),
    (code) => (code === undefined ? Effect.void : Effect.fail(refusal(variable, sentence(address, code))))
  )

/** The code of the error with which listening fails; undefined where it works. */
export const codeAt = ({ host, port }: Address) =>
  new Promise<string | undefined>((done) => {
    const server = createServer()
    server.on("error", (error: NodeJS.ErrnoException) => done(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => done(undefined)))
  })
