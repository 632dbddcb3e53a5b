/**
 * A competitor's life by somebody who has the OpenAPI document and nothing else of ours: `schema.d.ts` is what a generator makes
 * of it, `openapi-fetch` a client for any such file. The test generates, compiles and runs this; it is not part of the program's
 * own compilation.
 *
 *   node life.ts ORIGIN SESSION WEIGHTS MANIFEST
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import createClient from "openapi-fetch"
import type { components, paths } from "./schema.d.ts"

type Schemas = components["schemas"]

const [origin = "", session = "", weightsFile = "", manifestFile = ""] = process.argv.slice(2)
const game = "snakes"
const season = "spring"
const DEADLINE_MS = 90_000

const nobody = createClient<paths>({ baseUrl: origin })
const me = createClient<paths>({ baseUrl: origin, headers: { cookie: `service_session=${session}` } })

/** The data of an answer, or the refusal as an error; a refusal for the rate is waited out. */
const done = async <Data, Refusal extends { readonly code: string; readonly detail: string }>(
  ask: () => Promise<{ readonly data?: Data; readonly error?: Refusal; readonly response: Response }>
): Promise<Data> => {
  const { data, error, response } = await ask()
  if (response.status === 429 || response.status === 503) {
    await pause(1000 * Number(response.headers.get("retry-after") ?? 1))
    return done(ask)
  }
  if (error !== undefined) throw new Error(`${response.url} was refused: ${error.code}: ${error.detail}`)
  return data as Data
}

const eventually = async <Answer>(ask: () => Promise<Answer>, until: (answer: Answer) => boolean): Promise<Answer> => {
  for (const end = performance.now() + DEADLINE_MS; performance.now() < end; await pause(150)) {
    const answer = await ask()
    if (until(answer)) return answer
  }
  throw new Error("waited in vain")
}

const expect = (what: string, found: unknown, expected: unknown) => {
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`)
}

const put = async ({ headers, method, url }: Schemas["Upload"], body: Buffer<ArrayBuffer>) => {
  const { status } = await fetch(url, { method, headers, body })
  expect("upload", status, 200)
}

const enter = async (model: Schemas["Model"]): Promise<Schemas["OwnVersion"]> => {
  const weights = readFileSync(weightsFile)
  const manifest = readFileSync(manifestFile)
  const hashOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`
  const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
  const standing = await done(() =>
    me.GET("/v1/games/{game}/submission", { params: { path: { game }, query: { model: model.id, season } } })
  )
  expect("refusals", standing.refusals, [])
  const body: Schemas["Submit"] = { game, season, model: model.id, ...hashes, note: "generated" }
  const { upload, version_id } = await done(() => me.POST("/v1/submissions", { body }))
  await put(upload.weights, weights)
  await put(upload.manifest, manifest)
  const version = await eventually(
    () => done(() => me.GET("/v1/me/versions/{id}", { params: { path: { id: version_id } } })),
    ({ status }) => status !== "testing"
  )
  expect("version", [version.status, version.reject_reason], ["entered", null])
  return version
}

const watch = async ({ version_id }: Schemas["OwnVersion"]) => {
  const { entries } = await eventually(
    () =>
      done(() => nobody.GET("/v1/games/{game}/leaderboard", { params: { path: { game }, query: { season, ladder: "open", limit: 50 } } })),
    (board) => board.entries.some((entry) => entry.version_id === version_id && entry.matches > 0)
  )
  expect("owner", entries.find((entry) => entry.version_id === version_id)?.owner, "grace")
  const { matches } = await done(() => nobody.GET("/v1/matches", { params: { query: { version: version_id, sort: "newest" } } }))
  const id = matches.find(({ is_trial }) => !is_trial)!.id
  const match = await done(() => nobody.GET("/v1/matches/{id}", { params: { path: { id } } }))
  const frame = await done(() => nobody.GET("/v1/matches/{id}/frame", { params: { path: { id } } }))
  expect("last turn", frame.turn, match.turns)
  const replay = await (await fetch(match.replay_url ?? "")).json()
  expect("replay", [replay.engine_digest, replay.state_sha256?.length], [match.engine_digest, 64])
}

const live = async () => {
  const account = await done(() => me.GET("/v1/me"))
  expect("username", account.username, "grace")
  const model = await done(() => me.POST("/v1/games/{game}/models", { params: { path: { game } }, body: { name: "garter" } }))
  const version = await enter(model)
  await watch(version)
  const params = { path: { id: version.version_id } }
  const noted = await done(() => me.PATCH("/v1/versions/{id}", { params, body: { note: "by a generated client" } }))
  expect("note", noted.note, "by a generated client")

  const { notifications } = await done(() => me.GET("/v1/me/notifications", { params: { query: { limit: 1 } } }))
  expect("the latest word", [notifications[0]?.kind, notifications[0]?.read_at], ["version_entered", null])
  expect("words read", (await done(() => me.POST("/v1/me/notifications/read", { body: { all: true } }))).read, 2)
  const seen = await nobody.POST("/v1/events", { body: { kind: "model", id: model.id } })
  expect("a view", seen.response.status, 204)

  // Refusals have their own types: `code` tells them apart, and what a code brings along is there.
  const { error } = await nobody.GET("/v1/versions/{id}", { params: { path: { id: "none" } } })
  expect("refusal", error?.code === "not_found" && error.status, 404)
  const again = await me.POST("/v1/submissions", {
    body: { game, season, model: model.id, weights_hash: version.weights_hash, manifest_hash: version.manifest_hash }
  })
  if (again.error?.code === "cooldown") throw new Error(`too early until ${again.error.retry_at}`)
  expect("the same hashes again", [again.response.status, again.data?.version_id], [200, version.version_id])
  const out = await me.DELETE("/v1/session")
  expect("signed out", out.response.status, 204)
  expect("after it", (await me.GET("/v1/me")).error?.code, "unauthenticated")
}

/** What must not compile: the types are those of the contract, and no `any`. */
export const wrong = () => [
  // @ts-expect-error there is no such ladder
  nobody.GET("/v1/games/{game}/leaderboard", { params: { path: { game }, query: { ladder: "huge" } } }),
  // @ts-expect-error both hashes are required
  me.POST("/v1/submissions", { body: { game, model: "m", weights_hash: "w" } }),
  // @ts-expect-error a limit is a number
  nobody.GET("/v1/matches", { params: { query: { limit: "25" } } })
]

await live()
