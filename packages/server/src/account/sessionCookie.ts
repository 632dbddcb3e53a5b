/**
 * The `service_session` cookie (docs/contract.md#sessions), set and cleared with the same attributes,
 * or browsers would keep both.
 */

import { sessionCookie } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { PublicOrigin } from "../config/publicOrigin.ts"

export const SESSION_DAYS = 30

const attributes = (secure: boolean) => ({ path: "/", sameSite: "lax", httpOnly: true, secure }) as const

export const setSessionCookie = (token: string) =>
  Effect.flatMap(PublicOrigin, ({ secure }) =>
    HttpApiBuilder.securitySetCookie(sessionCookie, token, { ...attributes(secure), maxAge: `${SESSION_DAYS} days` })
  )

export const clearSessionCookie = Effect.flatMap(PublicOrigin, ({ secure }) =>
  HttpApiBuilder.securitySetCookie(sessionCookie, "", { ...attributes(secure), maxAge: 0 })
)
