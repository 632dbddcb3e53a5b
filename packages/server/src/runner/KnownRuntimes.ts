/**
 * The runtimes whose results count: the one of this build, which the lock file pins, and those that an administrator allows
 * (AGON_RUNTIMES). Only within one runtime are the same bits to be expected, so a match of any other could never be played
 * again by anybody else.
 */
import { Context } from "effect"
import { runtimeVersion } from "@agon/sandbox/runtimeVersion.ts"

export class KnownRuntimes extends Context.Reference<ReadonlySet<string>>("agon/KnownRuntimes", {
  defaultValue: () => knownRuntimes([])
}) {}

export const knownRuntimes = (allowed: ReadonlyArray<string>): ReadonlySet<string> => new Set([runtimeVersion(), ...allowed])
