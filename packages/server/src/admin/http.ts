import { Api } from "@agon/api/Api.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { PlatformStatus } from "./PlatformStatus.ts"

export const AdminHandlers = group(
  Api,
  "admin",
  Effect.fnUntraced(function* (handlers) {
    const status = yield* PlatformStatus
    return handlers.handleAll({ status: () => status.get, adminCheck: () => Effect.succeed({ admin: true as const }) })
  })
)
