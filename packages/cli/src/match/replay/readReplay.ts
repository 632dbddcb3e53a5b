/** The match that an argument names: a replay's file, or a match of a service. Either must be a replay by the rules. */
import type { MatchDetail } from "@agon/api/match/Match.ts"
import { parseReplay, REPLAY_BYTES_MAX } from "@agon/engine/replay/parseReplay.ts"
import { readReplay as read } from "@agon/engine/replay/readReplay.ts"
import { verify } from "@agon/engine/replay/verify.ts"
import { plain } from "@agon/sandbox/Verdict.ts"
import { Effect, type Option } from "effect"
import { Argument } from "effect/cli"
import { CouldNotRun } from "../../Answer.ts"
import { readBytesUpTo } from "../../files.ts"
import { fetchReplay, isMatch, readMatch } from "./fetchReplay.ts"

const DIGITS_SHOWN = 8

export const replayArgument = Argument.String("MATCH|REPLAY").pipe(
  Argument.withDescription("Id of a match, the address of its page, or a replay's file")
)

/**
 * With the names of the seats: those of the models, or where only the file is known the
 * first digits of their hashes.
 */
export const readReplay = Effect.fnUntraced(function* (argument: string, url: Option.Option<string>) {
  const fetched = isMatch(argument) ? yield* Effect.flatMap(readMatch(argument, url), (at) => fetchReplay(at.url, at.id)) : undefined
  const replay = yield* readFrom(argument, fetched?.bytes ?? (yield* readFile(argument)))
  const names =
    fetched === undefined ? replay.seats.map(({ weights_sha256 }) => weights_sha256.slice(0, DIGITS_SHOWN)) : namesOf(fetched.match)
  return { replay, names }
})

const readFile = (argument: string) =>
  Effect.mapError(
    readBytesUpTo(argument, REPLAY_BYTES_MAX),
    ({ message }) => new CouldNotRun({ message: `${message} It is no id of a match and no address of its page either.` })
  )

/** A name may hold characters that a terminal obeys. */
const namesOf = ({ seats }: MatchDetail) => seats.toSorted((a, b) => a.seat - b.seat).map(({ model }) => plain(model))

const readFrom = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
  const parsed = parseReplay(bytes)
  const check = parsed.ok ? verify(parsed.value) : parsed
  const found = parsed.ok ? read(parsed.value) : parsed
  if (check.ok && found.ok) return found.replay
  const [{ message, path } = { message: "cannot be read", path: "" }] = check.ok ? [] : check.problems
  return yield* new CouldNotRun({
    message: `${name} is no replay of a match by the rules: ${path === "" ? "the replay" : path} ${message}.`
  })
})
