/** `@hey-api/openapi-ts` makes functions of the operations and a client that they share. */
import { createClient } from "./client/client/index.ts"
import * as api from "./client/sdk.gen.ts"
import { type Calls, cookie, game, live, origin, type Said, season } from "./life.ts"

type Client = ReturnType<typeof createClient>

/** A call that reached nobody has no answer. */
const said = async <Data>(
  asked: Promise<{ data?: Data; error?: Said<Data>["error"] | undefined; response?: Response }>
): Promise<Said<Data>> => {
  const { data, error, response } = await asked
  if (response === undefined) throw new Error("no answer")
  return { data, error, response }
}

const callsOf = (client: Client): Calls => ({
  account: () => said(api.me({ client })),
  makeModel: (name) => said(api.createModel({ client, path: { game }, body: { name } })),
  preflight: (model) => said(api.preflight({ client, path: { game }, query: { model, season } })),
  submit: (body) => said(api.submit({ client, body })),
  ownVersion: (id) => said(api.ownVersion({ client, path: { id } })),
  ladder: () => said(api.leaderboard({ client, path: { game }, query: { season, ladder: "open", limit: 50 } })),
  matches: (version) => said(api.matches({ client, query: { version, sort: "newest" } })),
  match: (id) => said(api.match({ client, path: { id } })),
  frame: (id) => said(api.frame({ client, path: { id } })),
  version: (id) => said(api.version({ client, path: { id } })),
  note: (id, note) => said(api.editVersion({ client, path: { id }, body: { note } })),
  notifications: () => said(api.notifications({ client, query: { limit: 1 } })),
  readAll: () => said(api.markRead({ client, body: { all: true } })),
  view: (id) => said(api.countView({ client, body: { kind: "model", id } })),
  signOut: () => said(api.signOut({ client }))
})

const nobody = createClient({ baseUrl: origin })
const me = createClient({ baseUrl: origin, headers: { cookie } })

/** The types are those of the contract, and no `any`; a refusal's code tells which others of its members there are. */
export const typed = async () => {
  // @ts-expect-error there is no such ladder
  api.leaderboard({ path: { game }, query: { ladder: "huge" } })
  // @ts-expect-error both hashes are required
  api.submit({ body: { game, model: "m", weights_hash: "w" } })
  // @ts-expect-error a limit is a number
  api.matches({ query: { limit: "25" } })
  const { error } = await api.reenter({ client: me, body: { game, model: "m", season, from: season } })
  return error?.code === "cooldown" ? error.retry_at : undefined
}

await live(callsOf(nobody), callsOf(me))
