/**
 * A small season made as an administrator makes one: boards that are quick to play, a few
 * models of the zoo as baselines.
 */
import { createHash } from "node:crypto"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { demoWeightClasses, zoo } from "@agon/zoo/zoo.ts"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import type { Visitor } from "./Visitor.ts"

export const GAME = "snakes"
export const SEASON = "trial-run"
export const pathOf = (slug: string) => `/v1/games/${GAME}/seasons/${slug}`
export const seasonPath = pathOf(SEASON)
const DAY_MS = 86_400_000

export interface Files {
  readonly weights: Uint8Array<ArrayBuffer>
  readonly manifest: Uint8Array<ArrayBuffer>
}

export const filesOf = (name: string): Files => zoo.find((entry) => entry.game === GAME && entry.name === name)!.build()
const hashOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`
export const hashesOf = ({ manifest, weights }: Files) => ({ weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) })

export const send = async (visitor: Visitor, upload: { readonly weights: any; readonly manifest: any }, files: Files) => {
  await visitor.upload(upload.weights, files.weights)
  await visitor.upload(upload.manifest, files.manifest)
}

export interface Field {
  readonly boards: ReadonlyArray<string>
  readonly baselines: ReadonlyArray<string>
  readonly slug?: string
}

type Fleets = "own" | "platform" | "both"

export const create = (admin: Visitor, slug: string, fleet: Fleets = "both") =>
  admin.post(`/v1/games/${GAME}/seasons`, {
    name: "Trial run",
    slug,
    submissions_open_at: new Date(Date.now() - DAY_MS).toISOString(),
    submissions_close_at: new Date(Date.now() + DAY_MS).toISOString(),
    rules: { trial: { matches: 2 }, cooldown_s: 0 },
    weight_classes: demoWeightClasses,
    visibility: "public",
    entry: "open",
    fleet: { matches: fleet, admissions: fleet },
    providers: []
  })

/** The season is playing when this returns: boards in play, baselines reviewed and switched on. */
export const open = async (admin: Visitor, { baselines, boards, slug = SEASON }: Field): Promise<void> => {
  const seasonPath = pathOf(slug)
  await create(admin, slug)
  for (const map_id of boards) {
    await admin.post(
      `${seasonPath}/maps`,
      snakesBoards.find((board) => board.map_id === map_id)
    )
    await switchBoard(admin, map_id, true, slug)
  }
  for (const name of baselines) {
    const files = filesOf(name)
    await send(admin, (await admin.post(`${seasonPath}/baselines`, { name, ...hashesOf(files) })).upload, files)
  }
  for (const name of baselines) {
    await eventuallyAsync(`the review of ${name}`, async () => {
      const { baselines: rows } = await admin.get(`${seasonPath}/baselines?limit=100`)
      const row = rows.find((one: { readonly name: string }) => one.name === name)
      if (row.status === "rejected") throw new Hopeless(`${name} was rejected: ${row.reject_reason}`)
      return row.status === "disabled"
    })
    await admin.patch(`${seasonPath}/baselines/${name}`, { enabled: true })
  }
}

export const switchBoard = (admin: Visitor, map_id: string, enabled: boolean, slug = SEASON) =>
  admin.patch(`${pathOf(slug)}/maps/${map_id}`, { enabled })

export interface SeasonRecord {
  readonly slug: string
  readonly matches_played: number
  readonly active_versions: number
}

export const seasonRecord = async (visitor: Visitor): Promise<SeasonRecord> => {
  const seasons = (await visitor.get(`/v1/games/${GAME}/seasons`)) as ReadonlyArray<SeasonRecord>
  return seasons.find(({ slug }) => slug === SEASON)!
}

export const ratedSoFar = async (visitor: Visitor): Promise<number> => (await visitor.get(`/v1/matches?season=${SEASON}&limit=1`)).total

export const rated = (visitor: Visitor, matches: number) =>
  eventuallyAsync(`${matches} rated matches`, async () => (await ratedSoFar(visitor)) >= matches)

/** Lets the matches that are being played end and starts no more. */
export const rest = async (admin: Visitor, boards: ReadonlyArray<string>, slug = SEASON) => {
  for (const map_id of boards) await switchBoard(admin, map_id, false, slug)
  await eventuallyAsync("the end of the last match", async () => (await admin.get(`${pathOf(slug)}/playing`)).playing === 0)
}
