/**
 * A season that real models play: the whole service with a runner beside it, boards and baselines
 * in play, made through the API.
 */

import type { Client } from "@agon/api/Client.ts"
import { firstPage } from "@agon/api/Pages.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { type Files, sendFiles } from "@agon/api/submission/sendFiles.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { demoWeightClasses, zoo } from "@agon/zoo/zoo.ts"
import { NodeHttpClient } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { untilAnswer } from "./eventually.ts"
import { OPEN_SEASON } from "./openSeason.ts"
import { hashOf } from "./Referee.ts"
import * as Service from "./Service.ts"

export const game = "snakes"
/**
 * The season that competitors enter first, and the one that they may go on to: it takes over the
 * first one's boards and baselines.
 */
export const spring = { game, slug: "spring" }
export const autumn = { game, slug: "autumn" }

/** Beaten by everybody, so that trials pass and matches are short. */
const BASELINE = "straight-on"
const BOARD = snakesBoards.find(({ players }) => players === 2)!

export const filesOf = (name: string): Files => zoo.find((entry) => entry.game === game && entry.name === name)!.build()
export const hashesOf = ({ manifest, weights }: Files) => ({ weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) })

const makeSeason = (admin: Client, slug: string) =>
  retryRefused(
    admin.seasonCreation.createSeason({
      params: { game },
      payload: {
        ...OPEN_SEASON,
        name: `The ${slug}`,
        slug,
        rules: { trial: { matches: 1 }, cooldown_s: 0, match: { max_turns: 60 } },
        weight_classes: demoWeightClasses
      }
    })
  )

/** Boards and admitted baselines land out of play. */
const bringIntoPlay = Effect.fnUntraced(function* (admin: Client, here: typeof spring) {
  yield* retryRefused(admin.boardAdmin.switchBoard({ params: { ...here, map_id: BOARD.map_id }, payload: { enabled: true } }))
  yield* untilAnswer("reviewed baselines", admin.baseline.baselines({ params: here, query: firstPage() }), ({ baselines }) =>
    baselines.every(({ status }) => status === "disabled")
  )
  yield* retryRefused(admin.baseline.switchBaseline({ params: { ...here, baseline: BASELINE }, payload: { enabled: true } }))
})

const open = Effect.gen(function* () {
  const admin = yield* (yield* Service.Service).as("admin")
  yield* makeSeason(admin, spring.slug)
  yield* makeSeason(admin, autumn.slug)
  yield* retryRefused(admin.boardAdmin.addBoard({ params: spring, payload: JSON.parse(JSON.stringify(BOARD)) }))
  const files = filesOf(BASELINE)
  const { upload } = yield* retryRefused(admin.baseline.recordBaseline({ params: spring, payload: { name: BASELINE, ...hashesOf(files) } }))
  yield* sendFiles(upload, files)
  yield* bringIntoPlay(admin, spring)
  yield* retryRefused(admin.boardAdmin.importBoards({ params: autumn, payload: { from: spring.slug } }))
  yield* retryRefused(admin.baseline.importBaselines({ params: autumn, payload: { from: spring.slug } }))
  yield* bringIntoPlay(admin, autumn)
})

/** Service and HttpClient; both seasons are live and play. */
export const layer = Layer.effectDiscard(open).pipe(
  Layer.provideMerge(Layer.mergeAll(Service.layer({ runner_slots: 2 }), NodeHttpClient.layerUndici))
)
