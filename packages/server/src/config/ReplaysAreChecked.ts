import { Context } from "effect"

/**
 * Whether results of finals are checked before they count, and a close waits for the check of all results. The program says so unless
 * AGON_REPLAY_CHECK is 0: then no replay is checked.
 */
export class ReplaysAreChecked extends Context.Reference<boolean>("agon/ReplaysAreChecked", { defaultValue: () => false }) {}
