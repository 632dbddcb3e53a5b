/**
 * The class of caller that a statement is made for. Each class has connections of its own (CallerSql.ts), so
 * that anonymous callers never hold all of them. A fiber without a class works for the service: runners,
 * administrators, and work without a request.
 */

import type { RateClass } from "@agon/api/Boundary.ts"
import { Context } from "effect"

export type CallerClass = "anonymous" | "session" | "service"

export class CurrentCallerClass extends Context.Reference<CallerClass>("agon/CurrentCallerClass", { defaultValue: () => "service" }) {}

/** The class by a route's rate limit, before the request is authenticated. */
export const callerClassOf = (rate: RateClass): CallerClass => {
  if (rate === "runner") return "service"
  return rate === "public" || rate === "signin" ? "anonymous" : "session"
}
