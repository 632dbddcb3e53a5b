import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { BoardAdmin } from "./BoardAdmin.ts"

export const BoardAdminHandlers = group(
  Api,
  "boardAdmin",
  Effect.fnUntraced(function* (handlers) {
    const boards = yield* BoardAdmin
    return handlers.handleAll({
      addBoard: Effect.fnUntraced(function* ({ payload }) {
        return yield* boards.add(yield* CurrentAccount, yield* CurrentSeason, payload)
      }),
      switchBoard: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* boards.switch(yield* CurrentAccount, yield* CurrentSeason, params.map_id, payload.enabled)
      }),
      importBoards: Effect.fnUntraced(function* ({ payload }) {
        return yield* boards.import(yield* CurrentAccount, yield* CurrentSeason, payload)
      })
    })
  })
)
