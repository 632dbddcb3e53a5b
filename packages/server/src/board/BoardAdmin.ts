/**
 * Administration of boards: files are parsed by the game's engine; the season's state
 * machine stores and switches boards.
 */

import type { SeasonInPath, SignedIn, UnknownSeason } from "@agon/api/Authorization.ts"
import { BoardExists, BoardInvalid, type ImportBoards, type ImportedBoards } from "@agon/api/board/admin.ts"
import type { BoardRow } from "@agon/api/board/api.ts"
import { sentencesOf } from "@agon/api/fieldErrors.ts"
import { NotFound, type Unavailable } from "@agon/api/Problem.ts"
import type { SeasonClosed } from "@agon/api/version/refusals.ts"
import type { AuditAction } from "@agon/domain/season/Audit.ts"
import type { Of } from "@agon/domain/season/Command.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Context, Effect, Layer } from "effect"
import { askedByPerson } from "../actor/asked.ts"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { auditOf } from "../audit/auditLog.ts"
import { Seasons } from "../season/Seasons.ts"
import { Boards } from "./Boards.ts"

export class BoardAdmin extends Context.Service<
  BoardAdmin,
  {
    readonly add: (
      account: SignedIn,
      season: SeasonInPath,
      file: unknown
    ) => Effect.Effect<BoardRow, BoardInvalid | BoardExists | SeasonClosed | Unavailable>
    readonly switch: (
      account: SignedIn,
      season: SeasonInPath,
      map_id: string,
      enabled: boolean
    ) => Effect.Effect<BoardRow, NotFound | SeasonClosed | Unavailable>
    /** Copies boards of another season that the account may see. */
    readonly import: (
      account: SignedIn,
      season: SeasonInPath,
      wanted: ImportBoards
    ) => Effect.Effect<ImportedBoards, UnknownSeason | SeasonClosed | Unavailable>
  }
>()("agon/BoardAdmin") {
  static readonly layer: Layer.Layer<BoardAdmin, never, Boards | SeasonActors | Seasons> = Layer.effect(
    BoardAdmin,
    Effect.suspend(() => makeBoardAdmin)
  )
}

const makeBoardAdmin = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const boards = yield* Boards
  const seasons = yield* Seasons

  const row = (season: SeasonInPath, map_id: string) =>
    Effect.map(boards.get(season.id, map_id), ({ board: _board, periods: _periods, ...row }): BoardRow => row)

  /** Imports one board, or answers why it is skipped. */
  const importOne = Effect.fnUntraced(function* (account: SignedIn, season: SeasonInPath, from: string, map_id: string, file: unknown) {
    const command = yield* addingOf(account, season, file, "board.import", { from })
    if ("errors" in command) return { map_id, reason: "board_invalid" as const }
    const reply = yield* askedByPerson(actors, season.id, command)
    return "refused" in reply ? { map_id, reason: reply.refused } : undefined
  })

  return BoardAdmin.of({
    add: Effect.fn("BoardAdmin.add")(function* (account, season, file) {
      const command = yield* addingOf(account, season, file, "board.add", null)
      if ("errors" in command) {
        const { errors } = command
        return yield* new BoardInvalid({ detail: sentencesOf(errors, "board"), errors })
      }
      const reply = yield* askedByPerson(actors, season.id, command)
      if ("refused" in reply) return yield* new BoardExists({ detail: `The season has a board ${command.board} already.` })
      return yield* Effect.orDie(row(season, command.board))
    }),
    switch: Effect.fn("BoardAdmin.switch")(function* (account, season, map_id, enabled) {
      const told = yield* auditOf(account, "board.switch", map_id, { enabled })
      const reply = yield* askedByPerson(actors, season.id, { _tag: "SwitchBoard", board: map_id, enabled, audit: told })
      if ("refused" in reply) return yield* new NotFound({ detail: `The season has no board ${map_id}.` })
      return yield* row(season, map_id)
    }),
    import: Effect.fn("BoardAdmin.import")(function* (account, season, { from, maps }) {
      const source = yield* Effect.catchTag(seasons.find(season.game, from, account.id), "unknown_game", Effect.die)
      yield* askedByPerson(actors, season.id, { _tag: "Tick" }) // refuses a closed season also where there is nothing to import
      const held = new Map((yield* boards.list(source.id, { enabled: false, boards: true })).maps.map((row) => [row.map_id, row.board]))
      const outcome: { readonly imported: Array<string>; readonly skipped: Array<ImportedBoards["skipped"][number]> } = {
        imported: [],
        skipped: []
      }
      for (const map_id of new Set(maps ?? held.keys())) {
        const skipped = held.has(map_id)
          ? yield* importOne(account, season, from, map_id, held.get(map_id))
          : { map_id, reason: "not_found" as const }
        if (skipped === undefined) outcome.imported.push(map_id)
        else outcome.skipped.push(skipped)
      }
      return outcome
    })
  })
})

/** The command that adds a board, or the engine's error for its file. */
const addingOf = Effect.fnUntraced(function* (
  account: SignedIn,
  season: SeasonInPath,
  file: unknown,
  action: AuditAction,
  detail: unknown
) {
  const check = engineOf(season.game)!.checkBoard(file)
  if (!check.ok) return { errors: check.errors }
  const { cols, map_id: board, players, rows } = check.board
  const audit = yield* auditOf(account, action, board, detail)
  return { _tag: "AddBoard", board, players, rows, cols, file, audit } satisfies Of<"AddBoard">
})
