/**
 * The sandbox of commands that run models. It charges threads for their processor time,
 * which Node tells from 24.6 on.
 */
import { Worker } from "node:worker_threads"
import * as LogLines from "@agon/api/program/LogLines.ts"
import { Arena } from "@agon/sandbox/Arena.ts"
import { Effect, Layer } from "effect"
import { CouldNotRun } from "./Answer.ts"

const tellsTime = "cpuUsage" in Worker.prototype
const tooOld = new CouldNotRun({ message: `Models run on Node 24.6 or later; this is ${process.versions.node}.` })

/** It plays so many matches at once. Its warnings are no part of the answer. */
export const sandboxOf = (slots: number): Layer.Layer<Arena, CouldNotRun> =>
  tellsTime ? Layer.provide(Arena.layer({ slots }), LogLines.layerError(process.stderr)) : Layer.effectContext(Effect.fail(tooOld))

export const sandbox = sandboxOf(1)
