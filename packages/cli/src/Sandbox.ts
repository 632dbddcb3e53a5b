/**
 * The sandbox of commands that run models. It charges threads for their processor time,
 * which Node tells from 24.6 on.
 */
import { Worker } from "node:worker_threads"
import { Arena } from "@agon/sandbox/Arena.ts"
import { Effect, Layer } from "effect"
import { CouldNotRun } from "./Answer.ts"

const tellsTime = "cpuUsage" in Worker.prototype
const tooOld = new CouldNotRun({ message: `Models run on Node 24.6 or later; this is ${process.versions.node}.` })

/** It plays so many matches at once. */
export const sandboxOf = (slots: number): Layer.Layer<Arena, CouldNotRun> =>
  tellsTime ? Arena.layer({ slots }) : Layer.effectContext(Effect.fail(tooOld))

export const sandbox = sandboxOf(1)
