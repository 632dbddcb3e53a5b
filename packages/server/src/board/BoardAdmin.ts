/** Boards as administrators bring them in and switch them: read by the game's engine, stored and switched by the machine. */

import { randomBytes } from "node:crypto"
import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import { BoardExists, BoardInvalid } from "@agon/api/board/admin.ts"
import type { BoardRow } from "@agon/api/board/api.ts"
import { NotFound, type Unavailable } from "@agon/api/Problem.ts"
import type { SeasonClosed } from "@agon/api/submission/api.ts"
import type { Audit } from "@agon/domain/season/Audit.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { asked } from "../season/asked.ts"
import { SeasonActors } from "../season/SeasonEntity.ts"
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
  }
>()("agon/BoardAdmin") {
  static readonly layer: Layer.Layer<BoardAdmin, never, Boards | SeasonActors> = Layer.effect(
    BoardAdmin,
    Effect.suspend(() => makeBoardAdmin)
  )
}

const makeBoardAdmin = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const boards = yield* Boards
  const random = SecureRandom.make((size) => randomBytes(size))

  const audit = (account: SignedIn, action: string, subject: string, detail: unknown): Effect.Effect<Audit> =>
    Effect.map(random.uuidV7(), (id) => ({ id, actor: account.id, action, subject, detail }))

  const row = (season: SeasonInPath, map_id: string) =>
    Effect.map(boards.get(season.id, map_id), ({ board: _board, periods: _periods, ...row }): BoardRow => row)

  return BoardAdmin.of({
    add: Effect.fn("BoardAdmin.add")(function* (account, season, file) {
      const check = engineOf(season.game)!.checkBoard(file)
      if (!check.ok)
        return yield* new BoardInvalid({ detail: `${check.errors[0]!.path}: ${check.errors[0]!.message}`, errors: check.errors })
      const { cols, map_id, players, rows } = check.board
      const told = yield* audit(account, "board.add", map_id, null)
      const reply = yield* asked(actors, season.id, { _tag: "AddBoard", board: map_id, players, rows, cols, file, audit: told })
      if ("refused" in reply) return yield* new BoardExists({ detail: `The season has a board ${map_id} already.` })
      return yield* Effect.orDie(row(season, map_id))
    }),
    switch: Effect.fn("BoardAdmin.switch")(function* (account, season, map_id, enabled) {
      const told = yield* audit(account, "board.switch", map_id, { enabled })
      const reply = yield* asked(actors, season.id, { _tag: "SwitchBoard", board: map_id, enabled, audit: told })
      if ("refused" in reply) return yield* new NotFound({ detail: `The season has no board ${map_id}.` })
      return yield* row(season, map_id)
    })
  })
})
