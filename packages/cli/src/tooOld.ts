/**
 * The message of a Node that is too old to run models; undefined where this one is not. The sandbox charges threads for their
 * processor time, which Node tells from 24.6 on. Nothing is imported that such a Node cannot read.
 */
import { Worker } from "node:worker_threads"

export const tooOld: string | undefined =
  "cpuUsage" in Worker.prototype ? undefined : `Models run on Node 24.6 or later; this is ${process.versions.node}.`
