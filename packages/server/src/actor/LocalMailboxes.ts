/** The mailboxes of the seasons that live on this node, and asks of other nodes to them. */

import type { Command, Reply } from "@agon/domain/season/Command.ts"
import { Context, Effect, Layer } from "effect"
import * as Mailbox from "./Mailbox.ts"

export class LocalMailboxes extends Context.Service<LocalMailboxes, Map<string, Mailbox.Mailbox>>()("agon/LocalMailboxes") {
  static readonly layer = Layer.sync(LocalMailboxes, () => new Map())
}

/**
 * Asking wakes a season that rests. Waiting for `begun` lets a closed one answer that it is closed, and
 * not first that it is starting.
 */
export const onceBegun = (mailbox: Mailbox.Mailbox, commands: ReadonlyArray<Command>) =>
  mailbox.state === "starting"
    ? Effect.andThen(Mailbox.begun(mailbox), Mailbox.askAll(mailbox, commands))
    : Mailbox.askAll(mailbox, commands)

/**
 * A node of a later release may send a command that this one does not know; it asks again, until the
 * season has moved to such a node.
 */
const allKnown = (season: string) => (replies: ReadonlyArray<Reply | undefined>) =>
  replies.includes(undefined)
    ? Effect.fail(new Mailbox.Unavailable({ season, reason: "its node does not know the command, which a later release has sent" }))
    : Effect.succeed(replies as ReadonlyArray<Reply>)

/** The same for the commands of another node. */
export const onceKnown = (mailbox: Mailbox.Mailbox, commands: ReadonlyArray<Command>) =>
  Effect.flatMap(onceBegun(mailbox, commands), allKnown(mailbox.season))
