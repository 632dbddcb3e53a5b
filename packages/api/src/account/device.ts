/**
 * Signing a device in, in the shape of RFC 8628 (docs/contract.md#signing-in-a-device): a program
 * without a browser shows a code, a signed-in person approves it on the site, and the program
 * gets a session of that person's.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { OwnOrigin, SameOrigin, Session } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { name } from "../Name.ts"
import { NotFound, Problem } from "../Problem.ts"
import { Instant, text } from "../Wire.ts"
import { Account } from "./api.ts"

export class AuthorizationPending extends Problem<AuthorizationPending>()("authorization_pending", 400, "Not approved yet") {}
export class SlowDown extends Problem<SlowDown>()("slow_down", 400, "Asked too soon") {}
export class AccessDenied extends Problem<AccessDenied>()("access_denied", 400, "The sign-in was refused") {}
export class ExpiredToken extends Problem<ExpiredToken>()("expired_token", 400, "The code is over") {}

export const BeginDeviceSignIn = Schema.Struct({ client_name: name(64) }).annotate({ identifier: "BeginDeviceSignIn" })

export const DeviceCodes = Schema.Struct({
  /** Kept by the device, which asks for its session with it. */
  device_code: Schema.String,
  /** Shown to the person: eight consonants with a hyphen in the middle. */
  user_code: Schema.String,
  verification_uri: Schema.String.annotate({ format: "uri" }),
  /** Seconds. */
  expires_in: Schema.Int,
  /** Seconds between two requests for the session. */
  interval: Schema.Int
}).annotate({ identifier: "DeviceCodes" })
export type DeviceCodes = typeof DeviceCodes.Type

export const CompleteDeviceSignIn = Schema.Struct({ device_code: text(1, 100) }).annotate({ identifier: "CompleteDeviceSignIn" })

/** Longer than a code in any spelling: case, spaces and hyphens do not matter. */
const UserCode = text(1, 64)

export const DecideDeviceSignIn = Schema.Struct({ user_code: UserCode, approve: Schema.Boolean }).annotate({
  identifier: "DecideDeviceSignIn"
})

export const DeviceSignIn = Schema.Struct({
  client_name: Schema.String,
  state: Schema.Literals(["pending", "approved", "denied"]),
  created_at: Instant,
  expires_at: Instant
}).annotate({ identifier: "DeviceSignIn" })
export type DeviceSignIn = typeof DeviceSignIn.Type

export class DeviceGroup extends HttpApiGroup.make("device").add(
  HttpApiEndpoint.post("beginDeviceSignIn", "/v1/auth/device", { payload: BeginDeviceSignIn, success: DeviceCodes })
    .middleware(JsonBody)
    .middleware(SameOrigin)
    .annotate(Rate, "signin"),
  /** Sets the cookie of a new session. */
  HttpApiEndpoint.post("completeDeviceSignIn", "/v1/auth/device/token", {
    payload: CompleteDeviceSignIn,
    success: Account,
    error: [AuthorizationPending, SlowDown, AccessDenied, ExpiredToken]
  })
    .middleware(JsonBody)
    .middleware(OwnOrigin)
    .annotate(Rate, "signin"),
  HttpApiEndpoint.get("deviceSignIn", "/v1/auth/device", { query: { user_code: UserCode }, success: DeviceSignIn, error: NotFound })
    .middleware(Session)
    .annotate(Rate, "read"),
  HttpApiEndpoint.post("decideDeviceSignIn", "/v1/auth/device/approve", {
    payload: DecideDeviceSignIn,
    success: DeviceSignIn,
    error: NotFound
  })
    .middleware(JsonBody)
    .middleware(Session)
    .annotate(Rate, "session")
) {}
