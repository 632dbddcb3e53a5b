/**
 * What is said where this Node is too old to run models; undefined where it is not. The sandbox charges threads for their
 * processor time, which Node tells from 24.6 on. Nothing is imported that such a Node cannot read.
 */
import { Worker } from "node:worker_threads"

export const tooOld: string | undefined =
  "cpuUsage" in Worker.prototype ? undefined : `Models run on Node 24.6 or later; this is ${process.versions.node}.`
