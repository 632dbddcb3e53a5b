/** `orval` makes functions of the operations, which answer by their status. */
import * as api from "./client.ts"
import { type Calls, cookie, game, live, type Said, season } from "./life.ts"

type Answer = { readonly status: number; readonly data: unknown; readonly headers: Headers }
type Success<A extends Answer> = Extract<A, { readonly status: 200 | 201 | 204 }>["data"]

const isRefusal = (data: unknown): data is NonNullable<Said<unknown>["error"]> =>
  typeof data === "object" && data !== null && "code" in data

const said = async <A extends Answer>(asked: Promise<A>): Promise<Said<Success<A>>> => {
  const { data, headers, status } = await asked
  const response = { status, headers }
  return status >= 400 && isRefusal(data) ? { response, error: data } : { response, data: data as Success<A> }
}

const callsOf = (headers: Record<string, string>): Calls => {
  const options = { headers }
  return {
    account: () => said(api.me(options)),
    makeModel: (name) => said(api.createModel(game, { name }, options)),
    preflight: (model) => said(api.preflight(game, { model, season }, options)),
    submit: (body) => said(api.submit(body, options)),
    ownVersion: (id) => said(api.ownVersion(id, options)),
    ladder: () => said(api.leaderboard(game, { season, ladder: "open", limit: 50 }, options)),
    matches: (version) => said(api.matches({ version, sort: "newest" }, options)),
    match: (id) => said(api.match(id, options)),
    frame: (id) => said(api.frame(id, options)),
    version: (id) => said(api.version(id, options)),
    note: (id, note) => said(api.editVersion(id, { note }, options)),
    notifications: () => said(api.notifications({ limit: 1 }, options)),
    readAll: () => said(api.markRead({ all: true }, options)),
    view: (id) => said(api.countView({ kind: "model", id }, options)),
    signOut: () => said(api.signOut(options))
  }
}

/** The types are those of the contract, and no `any`. */
export const typed = async () => {
  // @ts-expect-error there is no such ladder
  api.leaderboard(game, { ladder: "huge" })
  // @ts-expect-error both hashes are required
  api.submit({ game, model: "m", weights_hash: "w" })
  // @ts-expect-error a limit is a number
  api.matches({ limit: "25" })
  const answer = await api.reenter({ game, model: "m", season, from: season })
  return answer.status === 409 && answer.data.code === "cooldown" ? answer.data.retry_at : undefined
}

await live(callsOf({}), callsOf({ cookie }))
