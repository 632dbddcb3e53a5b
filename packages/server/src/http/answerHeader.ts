/** Sets a header on the answer, whatever it is; a problem's schema has no headers of its own. */
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

export const answerHeader = (name: string, value: string) =>
  Effect.withFiber<void>((fiber) => {
    HttpEffect.appendPreResponseHandlerUnsafe(fiber.context, (_request, response) =>
      Effect.succeed(HttpServerResponse.setHeader(response, name, value))
    )
    return Effect.void
  })
