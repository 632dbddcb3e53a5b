import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { Effect, Layer } from "effect"
import { unseenTag } from "../http/cache/tags.ts"
import { group } from "../http/group.ts"
import { Picks } from "./Picks.ts"
import { picksTag } from "./tags.ts"

const Everybodys = group(
  Api,
  "pick",
  Effect.fnUntraced(function* (handlers) {
    const picks = yield* Picks
    return handlers.handleAll({
      picks: Effect.fnUntraced(function* ({ params, query }) {
        const found = yield* picks.ofGame(params.game, query)
        yield* tagged(picksTag(params.game), unseenTag) // a voided match leaves the list
        return found
      })
    })
  })
)

const Administrators = group(
  Api,
  "pickAdmin",
  Effect.fnUntraced(function* (handlers) {
    const picks = yield* Picks
    return handlers.handleAll({
      allPicks: ({ query }) => picks.all(query),
      pick: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => picks.pick(account, payload)),
      unpick: ({ params }) => Effect.flatMap(CurrentAccount, (account) => picks.unpick(account, params.id))
    })
  })
)

export const PickHandlers = Layer.merge(Everybodys, Administrators)
