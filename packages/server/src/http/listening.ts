/** An address that cannot be listened on refuses the start in one line, which names the variable that sets it. */
import { Effect, Layer } from "effect"
import type { HttpServerError } from "effect/http"
import { refuse, type StartRefused } from "../config/StartRefused.ts"
import type { Address } from "../config/variables.ts"

export const cannotListen =
  (variable: string, address: Address) =>
  (error: HttpServerError.ServeError): Layer.Layer<unknown, StartRefused> =>
    Layer.effectContext(
      Effect.fail(refuse(`${variable}: ${whyNot(address, error)}; it takes an address of this machine that nobody else listens on`))
    )

/** `127.0.0.1:9464 cannot be listened on (EADDRINUSE)`. */
export const whyNot = ({ host, port }: Address, { cause }: HttpServerError.ServeError) =>
  `${host.includes(":") ? `[${host}]` : host}:${port} cannot be listened on (${(cause as NodeJS.ErrnoException).code ?? cause})`
