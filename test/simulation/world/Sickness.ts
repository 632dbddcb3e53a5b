/** Entries with which matches cannot be played once they have entered: their weights are lost, or they kill runners. */
import type { Work } from "@agon/domain/season/Command.ts"
import { mix } from "@agon/domain/season/Random.ts"
import type { Chance } from "./Chance.ts"

export type Sickness = "lost" | "killer"
export type Sick = (version: string) => Sickness | undefined

/** In every second season a sixth of the entries; which ones follows from their ids. */
export const draw = (chance: Chance): Sick => {
  if (chance.in(0.5)) return () => undefined
  const salt = chance.between(0, 1_000_000)
  return (version) => {
    const lot = mix(Number.parseInt(version.slice(-8), 16) ^ Math.imul(salt, 0x9e3779b1)) % 18
    return lot < 2 ? "lost" : lot === 2 ? "killer" : undefined
  }
}

const seated = (sick: Sick, work: Work, what: Sickness): string | undefined =>
  work.kind === "match" && work.ladder !== null ? work.versions.find((id) => sick(id) === what) : undefined

/** The version in this match whose weights cannot be had. */
export const lostIn = (sick: Sick, work: Work): string | undefined => seated(sick, work, "lost")
export const kills = (sick: Sick, work: Work): boolean => lostIn(sick, work) === undefined && seated(sick, work, "killer") !== undefined
