/**
 * The session that `agon login` keeps: one, in `agon/session.json` of the user's configuration folder
 * (XDG_CONFIG_HOME, or ~/.config). Only the user may read it. It is written beside and renamed, so
 * that it is whole or not there.
 */
import { randomUUID } from "node:crypto"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { makeFolder } from "@agon/api/program/makeFolder.ts"
import { Config, Effect, FileSystem, Option, Schema } from "effect"
import { CouldNotRun } from "../Answer.ts"
import { writeWhole } from "../files.ts"

/** A session as a header takes it: a file that was changed by hand may hold anything. */
const Token = Schema.String.check(Schema.isPattern(/^[!-~]+$/))

export const SavedSession = Schema.Struct({ url: Schema.String, session: Token, username: Schema.String })
export type SavedSession = typeof SavedSession.Type

/** When a session ends by itself (docs/contract.md#sessions). */
export const ENDS_AFTER = "30 days after the sign-in"

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(SavedSession))

const path = Effect.map(
  Effect.orElseSucceed(Config.String("XDG_CONFIG_HOME"), () => ""),
  (folder) => join(folder === "" ? join(homedir(), ".config") : folder, "agon", "session.json")
)

/** The kept session, where there is one. */
export const read = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const file = yield* path
  const isThere = yield* Effect.orElseSucceed(files.exists(file), () => false)
  if (!isThere) return Option.none<SavedSession>()
  const text = yield* Effect.mapError(files.readFileString(file), () => new CouldNotRun({ message: `${file} cannot be read.` }))
  const kept = decode(text)
  if (Option.isNone(kept)) return yield* new CouldNotRun({ message: `${file} is not a session of agon login; remove it.` })
  return kept
})

export const signedIn = Effect.flatMap(
  read,
  Option.match({
    onNone: () => Effect.fail(new CouldNotRun({ message: "You are not signed in: agon login." })),
    onSome: Effect.succeed
  })
)

/** Makes the folder, and fails where no file can be kept in it: before a session is made. */
export const prepare = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const folder = dirname(yield* path)
  const tried = join(folder, `.${randomUUID()}`)
  yield* Effect.try(() => makeFolder(folder, PRIVATE_FOLDER)).pipe(
    Effect.andThen(files.writeFileString(tried, "")),
    Effect.andThen(files.remove(tried)),
    Effect.mapError(() => new CouldNotRun({ message: `${folder} cannot be written, so no session can be kept.` }))
  )
})

export const keep = Effect.fnUntraced(function* (kept: SavedSession) {
  yield* writeWhole(yield* path, `${JSON.stringify(kept, null, 2)}\n`, PRIVATE_FILE)
})

export const forget = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const file = yield* path
  yield* Effect.mapError(files.remove(file, { force: true }), () => new CouldNotRun({ message: `${file} cannot be removed.` }))
})
