/**
 * Submissions of competitors, for tests over `Administration.ts`: models of their own, hashes that nobody
 * used, seasons that are over.
 */
import { Effect } from "effect"
import * as A from "./Administration.ts"
import * as Fixture from "./Fixture.ts"

let made = 0
const hashOf = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`
export const fresh = () => hashOf(++made)

/** The caller's, by a row, so that no cap stands in its way. */
export const modelOf = Effect.fnUntraced(function* (as: string, name = `model ${++made}`) {
  const [row] = yield* A.rows<{ readonly id: string }>`INSERT INTO model (id, game, owner_id, name, created_at)
    SELECT gen_random_uuid(), 'snakes', id, ${name}, now() FROM account WHERE username = ${as} RETURNING id`
  return row!.id
})

export const bodyOf = (season: string, model: string, change: object = {}) => ({
  game: "snakes",
  season,
  model,
  weights_hash: fresh(),
  manifest_hash: fresh(),
  ...change
})
export const submit = (body: object, as = "ada") => A.post("/v1/submissions", body, as)
export const reenter = (body: object, as = "ada") => A.post("/v1/submissions/reenter", body, as)
export const foresee = (season: string, model?: string, as = "ada") =>
  A.read(`/v1/games/snakes/submission?season=${season}${model === undefined ? "" : `&model=${model}`}`, as)

const idOf = (as: string) => Effect.map(A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = ${as}`, ([row]) => row!.id)

/** A version of ada's model as it stands in a season that is over. */
export const entered = Effect.fnUntraced(function* (season_id: string, model: string, change: Fixture.Row = {}) {
  const n = ++made + 1_000
  const version = {
    id: Fixture.uuid("version", n),
    season_id,
    model_id: model,
    owner_id: yield* idOf("ada"),
    ord: n,
    number: 1,
    weights_hash: fresh(),
    manifest_hash: fresh(),
    created_at: "2025-02-01T00:00:00Z",
    status: "entered",
    weights_bytes: 2_000,
    manifest_bytes: 100,
    class: "nano",
    admit_attempt: 1,
    admit_failures: 0,
    trial_played: 4,
    trial_failed: 0,
    trial_void: 0,
    ...change
  }
  yield* Fixture.insert("version", [version])
  yield* A.rows`UPDATE model SET last_number = 1 WHERE id = ${model}`
  return version
})

/** A season that is over, with a version of the model in it: rows alone, since it has no machine any more. */
export const over = Effect.fnUntraced(function* (slug: string, model: string, change: Fixture.Row = {}) {
  const id = Fixture.uuid("season", ++made + 1_000)
  const closed = { closed_at: A.past, submissions_open_at: "2025-01-01T00:00:00Z", submissions_close_at: "2025-06-01T00:00:00Z" }
  yield* Fixture.insert("season", [Fixture.season(id, slug, closed)])
  return { id, version: yield* entered(id, model, change) }
})
