import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { PublicOrigin } from "../../config/publicOrigin.ts"
import { clientAddress } from "../../http/ClientAddress.ts"
import { group } from "../../http/group.ts"
import { refuse } from "../../http/limit/RateLimits.ts"
import { Accounts } from "../Accounts.ts"
import { setSessionCookie } from "../sessionCookie.ts"
import { DeviceSignIns, EXPIRES_S, INTERVAL_S, type TooMany } from "./DeviceSignIns.ts"

const limited = ({ retry_after_ms }: TooMany) => refuse("signin", retry_after_ms)

export const DeviceHandlers = group(
  Api,
  "device",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const devices = yield* DeviceSignIns
    return handlers.handleAll({
      beginDeviceSignIn: Effect.fnUntraced(function* ({ payload }) {
        const { origin } = yield* PublicOrigin
        const codes = yield* devices.begin(payload.client_name, yield* clientAddress).pipe(Effect.catchTag("TooMany", limited))
        return { ...codes, verification_uri: `${origin}/device`, expires_in: EXPIRES_S, interval: INTERVAL_S }
      }),
      completeDeviceSignIn: Effect.fnUntraced(function* ({ payload }) {
        const { account_id, token } = yield* devices.complete(payload.device_code)
        yield* setSessionCookie(token)
        return yield* accounts.get(account_id)
      }),
      deviceSignIn: ({ query }) =>
        Effect.flatMap(CurrentAccount, (account) => devices.named(account, query.user_code)).pipe(Effect.catchTag("TooMany", limited)),
      decideDeviceSignIn: ({ payload: { approve, user_code } }) =>
        Effect.flatMap(CurrentAccount, (account) => devices.decide(account, user_code, approve)).pipe(Effect.catchTag("TooMany", limited))
    })
  })
)
