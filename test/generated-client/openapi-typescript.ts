/** `openapi-typescript` makes `schema.d.ts`; `openapi-fetch` is a client for any such file. */
import createClient from "openapi-fetch"
import { type Calls, cookie, game, live, origin, season } from "./life.ts"
import type { paths } from "./schema.d.ts"

type Client = ReturnType<typeof createClient<paths>>

const callsOf = (client: Client): Calls => ({
  account: () => client.GET("/v1/me"),
  makeModel: (name) => client.POST("/v1/games/{game}/models", { params: { path: { game } }, body: { name } }),
  preflight: (model) => client.GET("/v1/games/{game}/submission", { params: { path: { game }, query: { model, season } } }),
  submit: (body) => client.POST("/v1/submissions", { body }),
  ownVersion: (id) => client.GET("/v1/me/versions/{id}", { params: { path: { id } } }),
  ladder: () => client.GET("/v1/games/{game}/leaderboard", { params: { path: { game }, query: { season, ladder: "open", limit: 50 } } }),
  matches: (version) => client.GET("/v1/matches", { params: { query: { version, sort: "newest" } } }),
  match: (id) => client.GET("/v1/matches/{id}", { params: { path: { id } } }),
  frame: (id) => client.GET("/v1/matches/{id}/frame", { params: { path: { id } } }),
  version: (id) => client.GET("/v1/versions/{id}", { params: { path: { id } } }),
  note: (id, note) => client.PATCH("/v1/versions/{id}", { params: { path: { id } }, body: { note } }),
  notifications: () => client.GET("/v1/me/notifications", { params: { query: { limit: 1 } } }),
  readAll: () => client.POST("/v1/me/notifications/read", { body: { all: true } }),
  view: (id) => client.POST("/v1/events", { body: { kind: "model", id } }),
  signOut: () => client.DELETE("/v1/session")
})

const nobody = createClient<paths>({ baseUrl: origin })
const me = createClient<paths>({ baseUrl: origin, headers: { cookie } })

/** The types are those of the contract, and no `any`; a refusal's code tells which others of its members there are. */
export const typed = async () => {
  // @ts-expect-error there is no such ladder
  nobody.GET("/v1/games/{game}/leaderboard", { params: { path: { game }, query: { ladder: "huge" } } })
  // @ts-expect-error both hashes are required
  me.POST("/v1/submissions", { body: { game, model: "m", weights_hash: "w" } })
  // @ts-expect-error a limit is a number
  nobody.GET("/v1/matches", { params: { query: { limit: "25" } } })
  const { error } = await me.POST("/v1/submissions/reenter", { body: { game, model: "m", season, from: season } })
  return error?.code === "cooldown" ? error.retry_at : undefined
}

await live(callsOf(nobody), callsOf(me))
