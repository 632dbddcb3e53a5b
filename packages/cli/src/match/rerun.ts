/**
 * `agon rerun MATCH|REPLAY --turn N --weights DIR`: writes the seats' observations in one turn of a match,
 * and the logits of the models whose files are in the folder, as arrays for numpy. Exit status 1 where a
 * model's answer is not the recorded one.
 */

import { Arena } from "@agon/sandbox/Arena.ts"
import type { Look, Looked } from "@agon/sandbox/match/look.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { writeWhole } from "../files.ts"
import { sandbox } from "../Sandbox.ts"
import { jsonFlag, urlFlag } from "../Service.ts"
import { modelsIn } from "../version/filesByHash.ts"
import { type Named, npzOf } from "./replay/npz.ts"
import { readReplay, replayArgument } from "./replay/readReplay.ts"

/** The action of a seat that has none recorded: its answer was a strike. */
const STRUCK = -1

const arraysOf = ({ cols, planes, rows }: Looked, look: Look): ReadonlyArray<Named> => {
  const named = (name: string, shape: ReadonlyArray<number>, values: Named["values"]) => ({
    name: `seat${look.seat}_${name}`,
    shape,
    values
  })
  const { legal, logits, memoryCell, memoryFlat, observation, recorded } = look
  return [
    named("observation", [planes, rows, cols], observation),
    named("legal", [legal.length], legal),
    ...(memoryFlat.length > 0 ? [named("memory_flat", [memoryFlat.length], memoryFlat)] : []),
    ...(memoryCell.length > 0 ? [named("memory_cell", [memoryCell.length / (rows * cols), rows, cols], memoryCell)] : []),
    ...(logits === null ? [] : [named("logits", [logits.length], logits)]),
    named("action", [], Int32Array.of(recorded ?? STRUCK))
  ]
}

/** A model that has answered otherwise than the record tells; in a turn with a strike it has no say. */
const differs = ({ chosen, logits, recorded }: Look) => logits !== null && recorded !== null && chosen !== recorded

const say = (name: string | undefined, look: Look): string => {
  const { chosen, logits, recorded, seat } = look
  const played = recorded === null ? "a strike" : `action ${recorded}`
  const found =
    logits === null
      ? ""
      : differs(look)
        ? `, the model here chooses ${chosen}`
        : `, by the logits ${Array.from(logits, (one) => one.toPrecision(4)).join(" ")}`
  return `seat ${seat} ${name}: ${played}${found}`
}

export const rerun = Command.make(
  "rerun",
  {
    match: replayArgument,
    turn: Flag.Int("turn").pipe(Flag.withDescription("The turn, from 0")),
    weights: Flag.Directory("weights").pipe(
      Flag.withDescription("Folder with weights and manifests; without them there are observations alone"),
      Flag.optional
    ),
    out: Flag.Path("out").pipe(Flag.withDescription("File to write (default: turnN.npz)"), Flag.optional),
    url: urlFlag,
    json: jsonFlag
  },
  Effect.fn(function* (given) {
    const { names, replay } = yield* readReplay(given.match, given.url)
    const { turn } = given
    if (turn < 0 || turn >= replay.turns)
      return yield* new CouldNotRun({ message: `--turn must be from 0 to ${replay.turns - 1}: the match has ${replay.turns} turns.` })
    const seats = Option.isSome(given.weights) ? yield* modelsIn(given.weights.value, replay.seats) : replay.seats.map(() => null)
    const arena = yield* Arena
    const looked = yield* Effect.mapError(arena.look({ replay, turn, seats }), ({ detail }) => new CouldNotRun({ message: detail }))
    const arrays = [{ name: "turn", shape: [], values: Int32Array.of(turn) }, ...looked.seats.flatMap((look) => arraysOf(looked, look))]
    const file = Option.getOrElse(given.out, () => `turn${turn}.npz`)
    yield* writeWhole(file, npzOf(arrays))
    const told = looked.seats.map(({ chosen, recorded, seat }) => ({ seat, recorded, chosen }))
    if (given.json)
      yield* Console.log(JSON.stringify({ file, turn, arrays: arrays.map(({ name, shape }) => ({ name, shape })), seats: told }))
    else for (const line of [file, ...looked.seats.map((look) => say(names[look.seat], look))]) yield* Console.log(line)
    yield* answer(!looked.seats.some(differs))
  })
).pipe(Command.provide(sandbox), Command.provide(NodeHttpClient.layerNodeHttp))
