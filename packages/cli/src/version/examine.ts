/** `agon examine MODEL.onnx [MANIFEST.json] --game snakes`: checks a model as admission does. */
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import type { Verdict } from "@agon/sandbox/Verdict.ts"
import { demoWeightClasses } from "@agon/zoo/weightClasses.ts"
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { answer, CouldNotRun } from "../Answer.ts"
import { boardsFlag, readBoards } from "../boards.ts"
import { readBytes } from "../files.ts"
import { gameFlag } from "../gameFlag.ts"
import { checkRule, numberFlag } from "../numberFlag.ts"
import { sandbox } from "../Sandbox.ts"
import { manifestArgument, manifestOf } from "./seat.ts"

/** The service compares speed with the season's rules after the examination; the command does the same here. */
const withSpeed = (verdict: Verdict, max_us: number) =>
  verdict.verdict === "admitted" && verdict.infer_us > max_us
    ? {
        verdict: "rejected",
        reject_reason: "too_slow",
        reject_detail: `One inference took ${verdict.infer_us} us; the season allows ${max_us} us.`
      }
    : verdict

const say = (verdict: ReturnType<typeof withSpeed>): string => {
  if ("reject_reason" in verdict) return `rejected (${verdict.reject_reason}): ${verdict.reject_detail}`
  if ("detail" in verdict) return `could not be examined: ${verdict.detail}`
  const { param_count, infer_us, memory } = verdict as Extract<Verdict, { verdict: "admitted" }>
  return `admitted: ${param_count} parameters, ${infer_us} us a move here, memory flat ${memory.flat} cell ${memory.cell}`
}

export const examine = Command.make(
  "examine",
  {
    model: Argument.File("MODEL.onnx").pipe(Argument.withDescription("The model, one ONNX file")),
    manifest: manifestArgument,
    game: gameFlag,
    boards: boardsFlag,
    weightClass: Flag.Literals(
      "class",
      demoWeightClasses.map((one) => one.class)
    ).pipe(Flag.withDescription("Only admit to this class (default: every class)"), Flag.optional),
    inferUsMax: numberFlag("infer-us-max", "The season's infer_us_max", DEFAULT_RULES.infer_us_max),
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print the verdict as JSON"), Flag.withDefault(false))
  },
  Effect.fn(function* (given) {
    yield* checkRule("infer-us-max", given.inferUsMax)
    const request = {
      game: given.game,
      weights: yield* readBytes(given.model),
      manifest: yield* readBytes(yield* manifestOf(given.model, given.manifest)),
      weight_classes: demoWeightClasses.filter((one) => Option.isNone(given.weightClass) || one.class === given.weightClass.value),
      boards: yield* readBoards(given.game, given.boards)
    }
    const arena = yield* Arena
    const verdict = withSpeed(yield* arena.examine(request), given.inferUsMax)
    yield* Console.log(given.json ? JSON.stringify(verdict) : say(verdict))
    if (verdict.verdict === "failed") return yield* new CouldNotRun({ message: "The examination failed, through no fault of the model." })
    yield* answer(verdict.verdict === "admitted")
  })
).pipe(Command.provide(sandbox))
