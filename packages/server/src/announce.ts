/**
 * Facts for somebody who has just started the service: sentences where standard output is a terminal, else
 * one line of the log, so that every line there is JSON.
 */
import { Effect } from "effect"
import { Settings } from "./config/Settings.ts"

export const announce = Effect.fnUntraced(function* (to: { readonly isTTY?: boolean; readonly write: (text: string) => unknown }) {
  const { admin, database_url, development_sign_in, directory, public_origin, runner_slots, s3, site } = yield* Settings
  if (to.isTTY !== true) {
    const pages = site === "off" ? site : `${public_origin}/`
    const where = { at: public_origin, pages, directory, embedded_database: database_url === undefined, bucket: s3?.bucket }
    return yield* Effect.logInfo("the service answers", { ...where, development_sign_in, runner_slots })
  }
  const lines = [
    `Agon answers at ${public_origin} (documentation: ${public_origin}/docs)`,
    site === "off" ? "It has no pages for people (AGON_SITE)" : `Look at it in a browser: ${public_origin}/`,
    development_sign_in
      ? `Sign in at ${public_origin}/v1/auth/dev with any name, from this machine alone; "${admin?.login ?? ""}" is the administrator`
      : `Sign-in: ${public_origin}/v1/auth-providers lists the ways`,
    `Data lies in ${directory}${database_url === undefined ? " (embedded Postgres)" : ""}${s3 === undefined ? "" : `, objects in bucket ${s3.bucket}`}`,
    runner_slots > 0
      ? `A runner with ${runner_slots} ${runner_slots === 1 ? "slot" : "slots"} plays beside it`
      : "No runner is started beside it (AGON_RUNNERS)"
  ]
  yield* Effect.sync(() => to.write(`${lines.join("\n")}\n`))
})
