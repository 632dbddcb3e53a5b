/** Every migration by number and name, in order. A number that has been released is never changed or reused. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import core from "./0001_core.ts"
import notices from "./0002_notices.ts"
import audit from "./0003_audit.ts"
import listing from "./0004_listing.ts"
import voiding from "./0006_voiding.ts"
import community from "./0007_community.ts"
import writing from "./0008_writing.ts"
import audience from "./0009_audience.ts"
import administration from "./0010_administration.ts"
import sideIndexes from "./0011_side_indexes.ts"
import ratingRedo from "./0012_rating_redo.ts"
import replayPlaces from "./0013_replay_places.ts"
import failures from "./0014_failures.ts"
import voidingBeside from "./0015_voiding_beside.ts"
import storedObjects from "./0018_stored_objects.ts"
import ratingRound from "./0019_rating_round.ts"
import keysOfAccounts from "./0023_keys_of_accounts.ts"
import rivals from "./0028_rivals.ts"
import disqualification from "./0030_disqualification.ts"
import ownerChecks from "./0031_owner_checks.ts"
import mapTallies from "./0032_map_tallies.ts"
import deviceSignIn from "./0033_device_sign_in.ts"
import deviceApprovals from "./0034_device_approvals.ts"
import webhooks from "./0035_webhooks.ts"
import datasets from "./0036_datasets.ts"
import mail from "./0037_mail.ts"
import seasonWebhooks from "./0038_season_webhooks.ts"
import leaseStarts from "./0039_lease_starts.ts"
import commentsOfThreads from "./0040_comments_of_threads.ts"
import learnedStarts from "./0041_learned_starts.ts"
import matchTallies from "./0042_match_tallies.ts"
import modelNames from "./0043_model_names.ts"
import keptLists from "./0044_kept_lists.ts"
import inlineReplays from "./0045_inline_replays.ts"
import coveringSeats from "./0046_covering_seats.ts"
import discussedMatches from "./0047_discussed_matches.ts"
import replayRemovals from "./0048_replay_removals.ts"
import keysOfDoubters from "./0049_keys_of_doubters.ts"
import adminLogins from "./0050_admin_logins.ts"
import opinionsOfModels from "./0051_opinions_of_models.ts"

const texts = {
  "0001_core": core,
  "0002_notices": notices,
  "0003_audit": audit,
  "0004_listing": listing,
  "0006_voiding": voiding,
  "0007_community": community,
  "0008_writing": writing,
  "0009_audience": audience,
  "0010_administration": administration,
  "0011_side_indexes": sideIndexes,
  "0012_rating_redo": ratingRedo,
  "0013_replay_places": replayPlaces,
  "0014_failures": failures,
  "0015_voiding_beside": voidingBeside,
  "0018_stored_objects": storedObjects,
  "0019_rating_round": ratingRound,
  "0023_keys_of_accounts": keysOfAccounts,
  "0028_rivals": rivals,
  "0030_disqualification": disqualification,
  "0031_owner_checks": ownerChecks,
  "0032_map_tallies": mapTallies,
  "0033_device_sign_in": deviceSignIn,
  "0034_device_approvals": deviceApprovals,
  "0035_webhooks": webhooks,
  "0036_datasets": datasets,
  "0037_mail": mail,
  "0038_season_webhooks": seasonWebhooks,
  "0039_lease_starts": leaseStarts,
  "0040_comments_of_threads": commentsOfThreads,
  "0041_learned_starts": learnedStarts,
  "0042_match_tallies": matchTallies,
  "0043_model_names": modelNames,
  "0044_kept_lists": keptLists,
  "0045_inline_replays": inlineReplays,
  "0046_covering_seats": coveringSeats,
  "0047_discussed_matches": discussedMatches,
  "0048_replay_removals": replayRemovals,
  "0049_keys_of_doubters": keysOfDoubters,
  "0050_admin_logins": adminLogins,
  "0051_opinions_of_models": opinionsOfModels
} as const

const statements = (text: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of text.split(/;\s*\n/)) if (statement.trim() !== "") yield* sql.unsafe(statement)
  })

export const migrations = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, statements(text)])) as Readonly<
  Record<keyof typeof texts, ReturnType<typeof statements>>
>

/** The tables that they make, none of which is ever dropped. */
export const TABLES: ReadonlyArray<string> = Object.values(texts).flatMap((text) =>
  Array.from(text.matchAll(/^CREATE TABLE (\w+)/gm), ([, name]) => name!)
)
