import { Context } from "effect"

/**
 * Whether other nodes work on the same database. Runners then talk to any of them, so that this node's memory of a runner is
 * incomplete, and what one node writes another compares with its own clock.
 */
export class HasPeers extends Context.Reference<boolean>("agon/HasPeers", { defaultValue: () => false }) {}
