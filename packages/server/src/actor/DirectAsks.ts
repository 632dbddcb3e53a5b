/**
 * Asks a season that lives on another node directly, by one message to its host. The cluster's own message costs several times as much as
 * the season's step.
 *
 *   ask ──host known──▶ sent to it ──replies, or its refusal──▶ the caller
 *    │                     ├─ does not host it any more, cannot be reached ─▶ forgotten ─┐
 *    │                     └─ says nothing in time ─▶ unavailable; meanwhile its host is asked for
 *    └─────not known────────────────────────────────────────────────────────▶ the cluster; meanwhile its host is asked for
 *
 * The cluster decides where a season lives; this file remembers the host that the season named last. If the host is lost in the middle of
 * an ask, the cluster sends the commands again: they may run twice, as the cluster's own messages may. A host that is only slow is not asked
 * a second time: with 20,000 runners such repetitions were a third of the nodes' work.
 */

import { CappedMap } from "@agon/api/program/CappedMap.ts"
import type { Command, Reply } from "@agon/domain/season/Command.ts"
import { Clock, Duration, Effect, Metric, Option, Schema } from "effect"
import { type AnswerAsk, NOT_HERE, type PeerAnswer } from "../node/AskServer.ts"
import { PeerLink } from "../node/PeerLink.ts"
import { parsedJson } from "../parsedJson.ts"
import { uptimeOf_ms } from "../process/uptime.ts"
import { LocalMailboxes, onceKnown } from "./LocalMailboxes.ts"
import * as Mailbox from "./Mailbox.ts"

interface Asked {
  readonly season: string
  readonly commands: ReadonlyArray<Command>
}
type Answered = { readonly replies: ReadonlyArray<Reply> } | { readonly closed: boolean } | { readonly unavailable: string }

/** The host's answer. Only nodes of the installation come so far. */
export const answerAsks: Effect.Effect<AnswerAsk, never, LocalMailboxes> = Effect.map(LocalMailboxes, (mailboxes) => {
  const notHere = Effect.succeed(NOT_HERE)
  return (text) => {
    const asked = askedIn(text)
    if (asked === undefined) return Effect.undefined
    const mailbox = mailboxes.get(asked.season)
    if (mailbox === undefined) return notHere
    return Effect.match(onceKnown(mailbox, asked.commands), {
      onSuccess: (replies) => written({ replies }),
      onFailure: (refused) => written(refused._tag === "SeasonClosed" ? { closed: true } : { unavailable: refused.reason })
    })
  }
})

const written = (answered: Answered): PeerAnswer => ({ status: 200, text: JSON.stringify(answered) })

/** Undefined where no node would ask so. The content of a command is not looked at: the node that sends it has checked it. */
const askedIn = (text: string): Asked | undefined => {
  const asked = parsedJson(text) as Partial<Asked> | null | undefined
  const isAsk =
    typeof asked?.season === "string" &&
    Array.isArray(asked.commands) &&
    asked.commands.length <= Mailbox.COMMANDS_MAX &&
    asked.commands.every((command: Command | null) => typeof command?._tag === "string")
  return isAsk ? (asked as Asked) : undefined
}

/** A host that is gone with its machine is known to the cluster some seconds later. */
const DIRECT_TIMEOUT = Duration.seconds(3)
const SLOW = "its node has not answered in time"
const WHERE_TIMEOUT = Duration.seconds(2)
/** A host that could not be learnt is asked for again after this long. */
const LEARN_EVERY_MS = 1_000
const SEASONS_MAX = 10_000

/** Asks that did not need the cluster. */
export const directAsks = Metric.counter("agon_season_asks_direct_total", {
  description: "Asks of seasons on other nodes that their node answered directly"
})

/** Makes the way to ask a season of another node, from the cluster's ways to ask it and to learn its host. */
export const makeDirectAsks = Effect.gen(function* () {
  const link = yield* PeerLink
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const hosts = new CappedMap<string, string>(SEASONS_MAX)
  const asked_ms = new CappedMap<string, number>(SEASONS_MAX)

  /** Nodes of an earlier release do not say where they are. */
  const learn = <E>(self: string, season: string, where: Effect.Effect<string, E>) =>
    Effect.suspend(() => {
      const now = uptimeOf_ms(clock)
      if (now - (asked_ms.get(season) ?? Number.NEGATIVE_INFINITY) < LEARN_EVERY_MS) return Effect.void
      asked_ms.set(season, now)
      const learnt = Effect.map(Effect.timeout(where, WHERE_TIMEOUT), (host) => {
        if (host !== "" && host !== self) hosts.set(season, host)
      })
      return Effect.forkIn(Effect.ignoreCause(learnt), scope)
    })

  return <E, E2>(
    season: string,
    commands: ReadonlyArray<Command>,
    byCluster: Effect.Effect<ReadonlyArray<Reply>, E>,
    where: Effect.Effect<string, E2>
  ): Effect.Effect<ReadonlyArray<Reply>, E | Mailbox.Refused> =>
    Effect.suspend(() => {
      if (link === undefined) return byCluster
      const host = hosts.get(season)
      if (host === undefined) return Effect.andThen(learn(link.self, season, where), byCluster)
      const elsewhere: Effect.Effect<ReadonlyArray<Reply>, E | Mailbox.Refused> = Effect.suspend(() => {
        if (hosts.get(season) === host) hosts.delete(season)
        return byCluster
      })
      // Made only where it happens: an error records its stack, which took 2 to 4 % of the processor time of a busy node.
      const slow = Effect.andThen(
        learn(link.self, season, where),
        Effect.suspend(() => Effect.fail(new Mailbox.Unavailable({ season, reason: SLOW })))
      )
      const asked: Asked = { season, commands }
      return Effect.matchEffect(Effect.timeout(link.ask(host, JSON.stringify(asked)), DIRECT_TIMEOUT), {
        onFailure: ({ _tag }) => (_tag === "PeerAway" ? elsewhere : slow),
        onSuccess: ({ status, text }) => {
          const answered = status === 200 ? answeredIn(text, commands.length) : undefined
          return answered === undefined ? elsewhere : Effect.andThen(Metric.update(directAsks, 1), repliesOf(season, answered))
        }
      })
    })
})

/** Undefined where no node would answer so: since the host was learnt, another program may have come to listen at its address. */
const answeredIn = (text: string, commands: number): Answered | undefined => {
  const answered = Option.getOrUndefined(decodeAnswered(text))
  return answered !== undefined && "replies" in answered && answered.replies.length !== commands ? undefined : answered
}
const decodeAnswered = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Union([
      Schema.Struct({ replies: Schema.Array(Schema.Any) }),
      Schema.Struct({ closed: Schema.Boolean }),
      Schema.Struct({ unavailable: Schema.String })
    ])
  )
)

const repliesOf = (season: string, answered: Answered): Effect.Effect<ReadonlyArray<Reply>, Mailbox.Refused> => {
  if ("replies" in answered) return Effect.succeed(answered.replies)
  return Effect.fail(
    "closed" in answered ? new Mailbox.SeasonClosed({ season }) : new Mailbox.Unavailable({ season, reason: answered.unavailable })
  )
}
