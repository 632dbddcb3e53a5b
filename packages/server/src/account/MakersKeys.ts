/** The runner keys that an account has made, which are out of force without its office; runner/key/makersKeysLayer.ts has the rule. */
import { Context, type Effect } from "effect"

export class MakersKeys extends Context.Service<
  MakersKeys,
  {
    /** The account's keys that are not in force any more; their runners end with the caller's transaction. */
    readonly stop: (account_id: string) => Effect.Effect<ReadonlyArray<string>>
    /** After that transaction: ends the requests under these keys; the leases of their runners are returned meanwhile. */
    readonly stopped: (keys: ReadonlyArray<string>) => Effect.Effect<void>
  }
>()("agon/MakersKeys") {}
