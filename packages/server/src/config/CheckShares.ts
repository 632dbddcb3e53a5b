import { Context } from "effect"

/** The shares of finished matches that are checked, 0 to 1. */
export interface Shares {
  /** AGON_REPLAY_CHECK: by playing their replays again. Unless it is 0, results of finals are checked before they count, and a close waits. */
  readonly replay_check: number
  /** AGON_AUDIT: by another runner, which plays them again. */
  readonly audit: number
}

export class CheckShares extends Context.Reference<Shares>("agon/CheckShares", { defaultValue: () => ({ replay_check: 0, audit: 0 }) }) {}
