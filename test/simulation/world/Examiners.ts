/**
 * Those who examine results: a replay that does not follow voids its match, a runner that is distrusted all that it has
 * played lately. As the service does, they ask again until they are told that it is done or cannot be.
 */
import type { Of, Replies } from "@agon/domain/season/Command.ts"
import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import { id } from "../../support/SeasonScript.ts"
import type { View } from "../View.ts"
import type { Chance } from "./Chance.ts"
import type { Visit } from "./Visit.ts"

export interface Examiners {
  readonly visit: (log: ReadonlyMap<string, Ended>, rows: View) => Visit
  /** Tells how far the field lies apart, near enough or not; now and then of a round that is over. */
  readonly learned: (rows: View) => Of<"LearnStarts">
  /** Tells that the results of a closing season are checked, now and then without the last of them. */
  readonly checked: (rows: View) => Of<"ReplaysChecked">
}

/** How far back they look, and how much a distrusted runner has played. */
const LATELY = 120
const DISTRUSTED = 8

/** Spreads that are told. */
const SPREADS = [40, 95, 190, 215, 420, undefined] as const

/** `lot`: draws of its own for what is learned. */
export const make = (chance: Chance, lot: Chance): Examiners => {
  const suspects: Array<string> = []
  return {
    learned: ({ head }) => {
      const told = LADDERS.flatMap((ladder) => {
        const spread = lot.pick(SPREADS)
        return spread === undefined ? [] : [[ladder, spread] as const]
      })
      const round = lot.in(0.1) ? Math.max(0, head.round - 1) : head.round
      return { _tag: "LearnStarts", round, played: lot.between(0, 400), spreads: Object.fromEntries(told) }
    },
    checked: ({ head }) => ({ _tag: "ReplaysChecked", played: head.played - lot.pick([0, 0, 1]) }),
    visit: (log, rows) => {
      let as = "match suspected"
      if (suspects.length === 0) {
        const lately = [...log.values()].slice(-LATELY)
        const { runner } = lately.length === 0 ? { runner: null } : chance.pick(lately)
        if (runner !== null && chance.in(0.2)) {
          as = "runner distrusted"
          suspects.push(...lately.filter((match) => match.runner === runner && match.turns !== null).map((match) => match.id))
          suspects.splice(0, suspects.length - DISTRUSTED)
        } else suspects.push(suspect(chance, lately, rows))
      }
      const both = suspects.length > 1 && chance.in(0.3)
      return { commands: suspects.slice(0, both ? 2 : 1).map((match) => voiding(match)), heard: heard(suspects), as }
    }
  }
}

/** Mostly what counts, and of what counts mostly what was rated a while ago. */
const suspect = (chance: Chance, lately: ReadonlyArray<Ended>, rows: View): string => {
  const x = chance.next()
  if (x < 0.04 || lately.length === 0) return id("version", 0)
  if (x < 0.08 && rows.live.size > 0) return chance.pick([...rows.live.keys()])
  const trials = lately.filter(({ candidate, turns }) => turns !== null && rows.versions.get(candidate ?? "")?.phase === "trial")
  if (x < 0.5 && trials.length > 0) return chance.pick(trials).id
  const rated = lately.filter(({ rated_n }) => rated_n !== null)
  return chance.pick(x < 0.8 && rated.length > 0 ? rated : lately).id
}

export const voiding = (match: string): Of<"VoidMatch"> => ({
  _tag: "VoidMatch",
  match,
  detail: `Not as ${match} was reported.`,
  found: null
})

const heard =
  (suspects: Array<string>): Visit["heard"] =>
  (commands, replies) => {
    commands.forEach((command, i) => {
      const reply = replies[i] as Replies["VoidMatch"] | undefined
      const again = reply !== undefined && !reply.voided && reply.reason === "again"
      const place = command._tag === "VoidMatch" && !again ? suspects.indexOf(command.match) : -1
      if (place >= 0) suspects.splice(place, 1)
    })
  }
