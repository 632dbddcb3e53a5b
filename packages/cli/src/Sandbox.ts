/** The sandbox of commands that run models. */
import * as LogLines from "@agon/api/program/LogLines.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { Effect, Layer } from "effect"
import { CouldNotRun } from "./Answer.ts"
import { tooOld } from "./tooOld.ts"

/** It plays so many matches at once. Its warnings are no part of the answer. */
export const sandboxOf = (slots: number): Layer.Layer<Arena, CouldNotRun> =>
  tooOld === undefined
    ? Layer.provide(Arena.layer({ slots }), LogLines.layerError(process.stderr))
    : Layer.effectContext(Effect.fail(new CouldNotRun({ message: tooOld })))

export const sandbox = sandboxOf(1)
