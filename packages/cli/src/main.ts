#!/usr/bin/env node
/** `agon`: the competitors', operators' and developers' tool. Exit status 0 yes, 1 no, 2 could not run. */

import { VERSION } from "./toolVersion.ts"
import { tooOld } from "./tooOld.ts"

const [, , command, ...rest] = process.argv

/** Known without anything else being loaded. */
if (command === "--version" && rest.length === 0) process.stdout.write(`agon v${VERSION}\n`)
else if (command === "runner" && tooOld !== undefined) {
  process.stderr.write(`agon: ${tooOld}\n`)
  process.exitCode = 2
} else if (command === "runner") {
  const { runnerProgram } = await import("./places.ts")
  process.argv.splice(2, 1) // the runner has arguments of its own
  await import(runnerProgram.href)
} else await import("./run.ts")
