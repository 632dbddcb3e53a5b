import { Api } from "@agon/api/Api.ts"
import { Effect, Layer } from "effect"
import { group } from "../http/group.ts"
import { Views } from "./Views.ts"

const Everybodys = group(
  Api,
  "view",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* Views
    return handlers.handleAll({ countView: ({ payload }) => views.count(payload) })
  })
)

const Administrators = group(
  Api,
  "viewAdmin",
  Effect.fnUntraced(function* (handlers) {
    const views = yield* Views
    return handlers.handleAll({ views: ({ query }) => views.list(query) })
  })
)

export const ViewHandlers = Layer.merge(Everybodys, Administrators)
