/**
 * For whom a statement is made. Each class has connections of its own (CallerSql.ts), so that those whom nobody knows never hold all of
 * them. A fiber that says nothing works for the service: runners, administrators, and whatever goes on without a request.
 */
import { Context } from "effect"
import type { RateClass } from "@agon/api/Boundary.ts"

export type CallerClass = "anonymous" | "session" | "service"

export class Caller extends Context.Reference<CallerClass>("agon/Caller", { defaultValue: () => "service" }) {}

/** By the class of a route's rate, before it is known who asks. */
export const callerOf = (rate: RateClass): CallerClass => {
  if (rate === "runner") return "service"
  return rate === "public" || rate === "signin" ? "anonymous" : "session"
}
