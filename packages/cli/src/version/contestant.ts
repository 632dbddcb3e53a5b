/**
 * A model that plays against others here: MODEL.onnx with its manifest beside it, or `zoo:NAME`.
 * The manifest tells the game.
 */
import { memoryCapOf } from "@agon/engine/memoryCap.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { readManifest } from "@agon/sandbox/Manifest.ts"
import type { MatchSeat } from "@agon/sandbox/match/Match.ts"
import { type ZooEntry, zoo } from "@agon/zoo/zoo.ts"
import { Effect } from "effect"
import { Argument } from "effect/cli"
import { CouldNotRun } from "../Answer.ts"
import { readSeat } from "./seat.ts"

export interface Contestant {
  readonly name: string
  readonly game: string
  readonly seat: MatchSeat
}

const ZOO = "zoo:"

export const contestantArgument = (name: string) =>
  Argument.String(name).pipe(Argument.withDescription(`MODEL.onnx with its manifest beside it, or ${ZOO}NAME for one of the zoo`))

export const readContestant = Effect.fnUntraced(function* (argument: string) {
  if (argument.startsWith(ZOO)) return yield* fromZoo(argument.slice(ZOO.length))
  const seat = yield* readSeat(argument)
  const check = readManifest(seat.manifest)
  if (!check.ok)
    return yield* new CouldNotRun({ message: `The manifest of ${argument}: ${check.errors[0]!.path} ${check.errors[0]!.message}.` })
  const { game } = check.manifest
  if (engineOf(game) === undefined) return yield* new CouldNotRun({ message: `${argument} plays ${game}, which is not a game known here.` })
  return { name: argument, game, seat }
})

const fromZoo = (name: string): Effect.Effect<Contestant, CouldNotRun> => {
  const entry = zoo.find((one) => one.name === name)
  return entry === undefined
    ? Effect.fail(new CouldNotRun({ message: `The zoo has no ${name}; its models are ${zoo.map((one) => one.name).join(", ")}.` }))
    : Effect.succeed(contestantOf(entry))
}

export const contestantOf = ({ build, game, name }: ZooEntry): Contestant => {
  const { manifest, weights } = build()
  return { name: `${ZOO}${name}`, game, seat: { weights, manifest, memory_cap_bytes: memoryCapOf(weights.length) } }
}
