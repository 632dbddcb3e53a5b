/**
 * How a port is listened on. An address that cannot be listened on refuses the start in one line, which names the variable that sets it.
 */
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
    Layer.effectContext(
      Effect.fail(refuse(`${variable}: ${whyNot(address, error)}; it takes an address of this machine that nobody else listens on`))
    )

/** `127.0.0.1:9464 cannot be listened on (EADDRINUSE)`. */
export const whyNot = ({ host, port }: Address, { cause }: HttpServerError.ServeError) =>
  `${host.includes(":") ? `[${host}]` : host}:${port} cannot be listened on (${(cause as NodeJS.ErrnoException).code ?? cause})`
