/**
 * A competitor's life by somebody who has the OpenAPI document and nothing else of ours. Each generator's client is one file beside
 * this one, which says how its calls are made; the test generates the client, compiles both and runs them. It is not part of the
 * program's own compilation.
 *
 *   node js/GENERATOR.js ORIGIN SESSION WEIGHTS MANIFEST USERNAME
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"

/** An answer, whatever the client calls its parts: data where the call succeeded, the refusal where it did not. */
export interface Said<Data> {
  readonly response: { readonly status: number; readonly headers: Headers }
  readonly data?: Data | undefined
  readonly error?: { readonly code: string; readonly detail: string; readonly status: number } | undefined
}

type Asked<Data> = Promise<Said<Data>>

interface Upload {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Submission {
  readonly game: string
  readonly season: string
  readonly model: string
  readonly weights_hash: string
  readonly manifest_hash: string
  readonly note: string
}

/** The calls of a life, as a client must be able to make them, with as much of the answers as the life looks at. */
export interface Calls {
  readonly account: () => Asked<{ readonly username: string }>
  readonly makeModel: (name: string) => Asked<{ readonly id: string }>
  readonly preflight: (model: string) => Asked<{ readonly refusals: ReadonlyArray<{ readonly code: string }> }>
  readonly submit: (body: Submission) => Asked<{
    readonly version_id: string
    readonly upload: { readonly weights: Upload; readonly manifest: Upload }
  }>
  readonly ownVersion: (id: string) => Asked<{ readonly status: string; readonly reject_reason: string | null }>
  readonly ladder: () => Asked<{
    readonly entries: ReadonlyArray<{ readonly version_id: string; readonly matches: number; readonly owner: string | null }>
  }>
  readonly matches: (version: string) => Asked<{ readonly matches: ReadonlyArray<{ readonly id: string; readonly is_trial: boolean }> }>
  readonly match: (
    id: string
  ) => Asked<{ readonly turns: number | null; readonly engine_digest: string; readonly replay_url?: string | undefined }>
  readonly frame: (id: string) => Asked<{ readonly turn: number }>
  readonly version: (id: string) => Asked<{ readonly model: string }>
  readonly note: (id: string, note: string) => Asked<{ readonly note: string | null }>
  readonly notifications: () => Asked<{
    readonly notifications: ReadonlyArray<{ readonly kind: string; readonly read_at: string | null }>
  }>
  readonly readAll: () => Asked<{ readonly read: number }>
  readonly view: (model: string) => Asked<unknown>
  readonly signOut: () => Asked<unknown>
}

export const [origin = "", session = "", weightsFile = "", manifestFile = "", username = ""] = process.argv.slice(2)
export const game = "snakes"
export const season = "spring"
export const cookie = `service_session=${session}`
const DEADLINE_MS = 90_000

/** The data of an answer, or the refusal as an error; a refusal for the rate is waited out. */
const done = async <Data>(ask: () => Asked<Data>): Promise<Data> => {
  const { data, error, response } = await ask()
  if (response.status === 429 || response.status === 503) {
    await pause(1000 * Number(response.headers.get("retry-after") ?? 1))
    return done(ask)
  }
  if (error !== undefined) throw new Error(`refused with ${error.code}: ${error.detail}`)
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

const put = async ({ headers, method, url }: Upload, body: Buffer<ArrayBuffer>) => {
  const { status } = await fetch(url, { method, headers, body })
  expect("upload", status, 200)
}

const weights = readFileSync(weightsFile)
const manifest = readFileSync(manifestFile)
const hashOf = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`
const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }

const enter = async (me: Calls, model: string): Promise<Submission & { readonly version_id: string }> => {
  expect("refusals", (await done(() => me.preflight(model))).refusals, [])
  const body = { game, season, model, ...hashes, note: "generated" }
  const { upload, version_id } = await done(() => me.submit(body))
  await put(upload.weights, weights)
  await put(upload.manifest, manifest)
  const version = await eventually(
    () => done(() => me.ownVersion(version_id)),
    ({ status }) => status !== "testing"
  )
  expect("version", [version.status, version.reject_reason], ["entered", null])
  return { ...body, version_id }
}

const watch = async (nobody: Calls, version: string) => {
  const { entries } = await eventually(
    () => done(nobody.ladder),
    (board) => board.entries.some((entry) => entry.version_id === version && entry.matches > 0)
  )
  expect("owner", entries.find((entry) => entry.version_id === version)?.owner, username)
  const { matches } = await done(() => nobody.matches(version))
  const id = matches.find(({ is_trial }) => !is_trial)!.id
  const match = await done(() => nobody.match(id))
  expect("last turn", (await done(() => nobody.frame(id))).turn, match.turns)
  const replay = await (await fetch(match.replay_url ?? "")).json()
  expect("replay", [replay.engine_digest, replay.state_sha256?.length], [match.engine_digest, 64])
}

/** `me` sends the session, `nobody` does not. */
export const live = async (nobody: Calls, me: Calls) => {
  expect("username", (await done(me.account)).username, username)
  const model = (await done(() => me.makeModel("garter"))).id
  const { version_id, ...submission } = await enter(me, model)
  await watch(nobody, version_id)
  expect("note", (await done(() => me.note(version_id, "by a generated client"))).note, "by a generated client")

  const { notifications } = await done(me.notifications)
  expect("the latest word", [notifications[0]?.kind, notifications[0]?.read_at], ["version_entered", null])
  expect("words read", (await done(me.readAll)).read, 2)
  expect("a view", (await nobody.view(model)).response.status, 204)

  const { error } = await nobody.version("none")
  expect("refusal", [error?.code, error?.status], ["not_found", 404])
  const again = await me.submit(submission)
  expect("the same hashes again", [again.response.status, again.data?.version_id], [200, version_id])
  expect("signed out", (await me.signOut()).response.status, 204)
  expect("after it", (await me.account()).error?.code, "unauthenticated")
}
