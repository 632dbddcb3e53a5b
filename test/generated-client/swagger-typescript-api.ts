/** `swagger-typescript-api` makes a class with the operations by the first part of their path; it throws what is not a success. */
import { Api, type HttpResponse } from "./client.ts"
import { type Calls, cookie, game, live, origin, type Said, season } from "./life.ts"

type Client = Api<unknown>

const isAnswer = (thrown: unknown): thrown is HttpResponse<unknown, NonNullable<Said<unknown>["error"]>> => thrown instanceof Response

const said = async <Data, Refusal>(asked: Promise<HttpResponse<Data, Refusal>>): Promise<Said<Data>> => {
  try {
    const response = await asked
    return { response, data: response.data }
  } catch (thrown) {
    if (!isAnswer(thrown)) throw thrown
    return { response: thrown, error: thrown.error }
  }
}

const callsOf = ({ v1 }: Client): Calls => ({
  account: () => said(v1.me()),
  makeModel: (name) => said(v1.createModel(game, { name })),
  preflight: (model) => said(v1.preflight(game, { model, season })),
  submit: (body) => said(v1.submit(body)),
  ownVersion: (id) => said(v1.ownVersion(id)),
  ladder: () => said(v1.leaderboard(game, { season, ladder: "open", limit: 50 })),
  matches: (version) => said(v1.matches({ version, sort: "newest" })),
  match: (id) => said(v1.match(id)),
  frame: (id) => said(v1.frame(id)),
  version: (id) => said(v1.version(id)),
  note: (id, note) => said(v1.editVersion(id, { note })),
  notifications: () => said(v1.notifications({ limit: 1 })),
  readAll: () => said(v1.markRead({ all: true })),
  view: (id) => said(v1.countView({ kind: "model", id })),
  signOut: () => said(v1.signOut())
})

const nobody = new Api({ baseUrl: origin })
const me = new Api({ baseUrl: origin, baseApiParams: { headers: { cookie }, format: "json" } })

/** The types are those of the contract, and no `any`. */
export const typed = () => {
  // @ts-expect-error there is no such ladder
  nobody.v1.leaderboard(game, { ladder: "huge" })
  // @ts-expect-error both hashes are required
  me.v1.submit({ game, model: "m", weights_hash: "w" })
  // @ts-expect-error a limit is a number
  nobody.v1.matches({ limit: "25" })
}

await live(callsOf(nobody), callsOf(me))
