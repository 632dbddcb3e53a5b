/**
 * The parts that others have in a season that an administrator leads on the site: files that are sent,
 * candidates, competitors and play.
 */
import type { Client } from "@agon/api/Client.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import type { Upload } from "@agon/api/Wire.ts"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "./eventually.ts"
import { about, hashOf, playMatches, type snakesZoo } from "./Referee.ts"
import * as Service from "./Service.ts"

type Model = (typeof snakesZoo)[number]

interface Here {
  readonly game: string
  readonly slug: string
}

const send = async (url: string, headers: Readonly<Record<string, string>>, body: Uint8Array<ArrayBuffer>) =>
  assert.strictEqual((await fetch(url, { method: "PUT", headers, body })).status, 200)

/** The fields of the form that records a baseline. */
export const recorded = ({ build, name }: Model) => {
  const { manifest, weights } = build()
  return { name, weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
}

/** Sends a baseline's files by the two commands that the page shows. */
export const sendByCommands = async ({ build }: Model, commands: string) => {
  const { manifest, weights } = build()
  for (const [i, bytes] of [weights, manifest].entries()) {
    const command = commands.split("\n")[i]!
    const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name!, value!] as const)
    const [url = ""] = /https?:[^']+/.exec(command) ?? []
    await send(url, Object.fromEntries(headers), bytes)
  }
}

/** Takes so many candidates and finds nothing wrong with them. */
export const admit = Effect.fnUntraced(function* (runner: Client, count: number) {
  const { runner: id } = yield* runner.runner.openSession({ payload: { ...about, accepts: ["admission"] } })
  const verdict = { verdict: "admitted", param_count: 1, infer_us: 10, memory: { flat: 0, cell: 0 } } as const
  for (let n = 0; n < count; n++) {
    const { leases } = yield* runner.runner.lease({ payload: { runner: id, max: 1, wait_s: 20 } })
    yield* runner.runner.result({
      params: { lease: leases[0]!.lease },
      payload: { kind: "admission", runtime_version: "test", ...verdict }
    })
  }
})

/** A competitor's model, as the program of theirs submits it. */
export const submit = Effect.fnUntraced(function* (here: Here, login: string, { build, name }: Model) {
  const client = yield* (yield* Service.Service).as(login)
  const { manifest, weights } = build()
  const { id } = yield* client.model.createModel({ params: { game: here.game }, payload: { name } })
  const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
  const { upload } = yield* retryRefused(
    client.submission.submit({ payload: { game: here.game, season: here.slug, model: id, ...hashes } })
  )
  const put = ({ headers, url }: Upload, bytes: Uint8Array<ArrayBuffer>) => Effect.promise(() => send(url, headers, bytes))
  yield* put(upload.weights, weights)
  yield* put(upload.manifest, manifest)
})

/** Until so many competitors have two counted matches behind them: one of them will be voided. */
export const playUntilRated = Effect.fnUntraced(function* (here: Here, runner: Client, competitors: number) {
  const { runner: id } = yield* runner.runner.openSession({ payload: { ...about, accepts: ["match"] } })
  const ladder = Effect.flatMap(Service.Service, ({ as }) => as("ada")).pipe(
    Effect.flatMap((client) =>
      client.leaderboard.leaderboard({ params: { game: here.game }, query: { season: here.slug, ladder: "open", limit: 50, cursor: 0 } })
    )
  )
  const havePlayed = Effect.gen(function* () {
    yield* playMatches(runner, id, 2)
    const { entries } = yield* ladder
    return entries.filter(({ baseline, matches }) => !baseline && matches > 1).length === competitors
  })
  yield* eventually("the competitors have played", havePlayed)
})
