import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { AuditTrail } from "../audit/AuditTrail.ts"
import { group } from "../http/group.ts"
import { Notices } from "./Notices.ts"

export const NoticeHandlers = group(
  Api,
  "notice",
  Effect.fnUntraced(function* (handlers) {
    const notices = yield* Notices
    const trail = yield* AuditTrail
    return handlers.handleAll({
      notices: ({ query }) => Effect.flatMap(CurrentSeason, (season) => notices.list(season, query)),
      notify: Effect.fnUntraced(function* ({ payload }) {
        return yield* notices.send(yield* CurrentAccount, yield* CurrentSeason, payload)
      }),
      seasonAudit: ({ query }) => Effect.flatMap(CurrentSeason, (season) => trail.ofSeason(season, query))
    })
  })
)
