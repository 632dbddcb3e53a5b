/** Texts and a match of people with ill names, for pages that show them in a browser. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hashOf } from "@agon/engine/hash.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { record } from "@agon/engine/replay/testing/recorded.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { replayKey } from "@agon/server/object/keys.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import * as Service from "../support/Service.ts"

export const PLAYED = Fixture.matchIds.open
/** Names that would do harm where a page did not escape them, and long ones. */
const ILL = `"><img src=x onerror=alert(1)>\u202e${"long".repeat(8)}`
/** The same, as the service takes it: with nothing that turns text around, which rows from before it was refused may have. */
const SENT = ILL.replace("\u202e", "")

/** A match whose stored replay is one that the engine has played, and people and models with ill names. */
export const played = Effect.gen(function* () {
  const { directory } = yield* Service.Service
  const sql = yield* SqlClient.SqlClient
  const { replay } = record(engineOf("snakes")!, snakesBoards.find(({ map_id }) => map_id === "wrapped-9")!, 2011)
  const bytes = Buffer.from(JSON.stringify(replay))
  const hash = hashOf(bytes)
  const objects = join(directory, "objects", "objects")
  mkdirSync(join(objects, "replays"), { recursive: true })
  writeFileSync(join(objects, replayKey(PLAYED, hash)), bytes)
  yield* sql`UPDATE match SET replay_hash = ${hash}, replay_bytes = ${bytes.length}, turns = 72 WHERE id = ${PLAYED}`
  yield* sql`UPDATE account SET display_name = ${ILL} WHERE username = 'ada'`
  yield* sql`UPDATE model SET name = ${ILL} WHERE id = ${Fixture.modelIds.alpha}`
  yield* sql`INSERT INTO series_point (season_id, ladder, at, versions, mus)
    VALUES (${Fixture.seasonIds.spring}, 'open', '1990-01-01', ARRAY[${Fixture.versionIds.alpha2}, ${Fixture.versionIds.beta1}]::uuid[], ARRAY[40, 10])`
})

/**
 * A comment and a story of ada's and an announcement, each of text that would do harm
 * where a page did not escape it.
 */
export const said = Effect.gen(function* () {
  const { as } = yield* Service.Service
  const [ada, admin] = [yield* as("ada"), yield* as("admin")]
  const { id: comment } = yield* ada.community.postComment({ payload: { match: PLAYED, body: SENT } })
  yield* admin.moderation.moderateComment({ params: { id: comment }, payload: { state: "approved" } })
  yield* ada.writing.writeStory({ params: { id: Fixture.modelIds.alpha }, payload: { body: `# ${SENT}`, submit: true } })
  const { id: announcement } = yield* admin.editorial.announce({ payload: { title: SENT, body: SENT } })
  yield* admin.platformNotice.notifyEverybody({ payload: { subject: SENT } })
  const { id: webhook } = yield* ada.webhook.createWebhook({ payload: { url: "https://10.9.8.7/agon" } })
  return { announcement, comment, webhook }
})
