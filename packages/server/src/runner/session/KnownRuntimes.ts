/**
 * The runtimes whose results count: the one of this build, which the lock file pins, and those that an
 * administrator allows (AGON_RUNTIMES). Identical bits are to be expected only within one runtime, so a match
 * of any other could never be checked by playing it again.
 */

import { runtimeVersion } from "@agon/sandbox/runtimeVersion.ts"
import { Context } from "effect"

export class KnownRuntimes extends Context.Reference<ReadonlySet<string>>("agon/KnownRuntimes", {
  defaultValue: () => knownRuntimes([])
}) {}

export const knownRuntimes = (allowed: ReadonlyArray<string>): ReadonlySet<string> => new Set([runtimeVersion(), ...allowed])
