#!/usr/bin/env node
/** `agon`: the competitors', operators' and developers' tool. Exit status 0 yes, 1 no, 2 could not run. */
import { VERSION } from "./version.ts"

/** Known without anything else being loaded. */
if (process.argv.length === 3 && process.argv[2] === "--version") process.stdout.write(`agon v${VERSION}\n`)
else await import("./run.ts")
