/** The levels that refuse what a page of another origin makes a browser send (docs/contract.md#order-of-checks). */

import * as A from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { PublicOrigin } from "../../config/publicOrigin.ts"
import { refusesOrigin } from "../../http/Origin.ts"

export const ofOurOrigin = Effect.gen(function* () {
  if (refusesOrigin(yield* HttpServerRequest.HttpServerRequest, yield* PublicOrigin)) {
    return yield* new A.CrossOrigin({ detail: "A page of another origin may not do this." })
  }
})

/** A request without a cookie is anonymous, so its origin does not matter. */
export const sameOrigin: A.SameOrigin["Service"] = Effect.fnUntraced(function* (httpEffect) {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  if (headers["cookie"] !== undefined) yield* ofOurOrigin
  return yield* httpEffect
})

export const ownOrigin: A.OwnOrigin["Service"] = (httpEffect) => Effect.andThen(ofOurOrigin, httpEffect)
