/** The boards of a command: named as files, or else those that come with the game. */
import { sentencesOf } from "@agon/api/fieldErrors.ts"
import type { BoardFile } from "@agon/engine/Engine.ts"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { Effect, type FileSystem } from "effect"
import { Flag } from "effect/cli"
import { CouldNotRun } from "./Answer.ts"
import { readJson } from "./files.ts"

export const boardsFlag = Flag.File("board").pipe(
  Flag.withDescription("Board file of the season; may be repeated (default: the game's own boards)"),
  Flag.atLeast(0)
)

export const readBoards = (
  game: string,
  paths: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<BoardFile>, CouldNotRun, FileSystem.FileSystem> =>
  paths.length === 0 ? Effect.succeed(boardsOf(game)) : Effect.forEach(paths, (path) => readBoard(game, path))

const readBoard = Effect.fnUntraced(function* (game: string, path: string) {
  const check = engineOf(game)!.checkBoard(yield* readJson(path))
  if (check.ok) return check.board as BoardFile
  return yield* new CouldNotRun({ message: `${path}: ${sentencesOf(check.errors, "board")}` })
})
