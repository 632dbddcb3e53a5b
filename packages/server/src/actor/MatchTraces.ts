/**
 * The trace of a match, through service and runner. Its ids are made of the match's own, so every node knows
 * them and nothing is stored; whether it is sent is made of it too, so a match is traced whole or not at all.
 *
 *   match (pairing to commit) ─┬─ lease, result         the node that the runner asked, one for each attempt
 *          ▲                   └─ work ─ fetch, play, upload; report     the runner, told by the lease's `traceparent`
 *          └── links ──▶ season commit ── purge         the node of the season; one commit carries many matches
 *
 * Nothing that a runner sends decides on a trace: no header of a request is read, and a result
 * has a span once it is accepted.
 */
import { hash } from "node:crypto"
import { Chosen, type SpanIds } from "@agon/api/program/Telemetry.ts"
import type { Work } from "@agon/domain/season/Command.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import type { State } from "@agon/domain/season/State.ts"
import { Clock, Context, Effect, Exit, Option, Tracer } from "effect"

/** A commit names no more of its matches, as collectors keep no more links of a span. */
const LINKS_MAX = 128

type Attributes = Readonly<Record<string, unknown>>
type Links = Array<Tracer.SpanLink>

export interface MatchTraces {
  /** The time at which a span begins. */
  readonly now: () => bigint
  /** How a runner is told of the trace, where the match is traced. */
  readonly traceparent: (match: string) => string | undefined
  /** The spans of a message of a runner to a season: results that were accepted, work that was handed out. */
  readonly told: (said: {
    readonly since: bigint
    readonly season: string
    readonly runner: string
    /** Leases of matches whose results were accepted. */
    readonly results: ReadonlyArray<string>
    readonly works: ReadonlyArray<Work>
  }) => void
  /**
   * The spans of matches that a commit ended, and of the commit, where one of them is traced:
   * that of the purge is its child.
   */
  readonly committed: (state: State, since: bigint, asks: number) => Tracer.Span | undefined
}

/** Undefined where traces are sent to nobody: then play pays one comparison for them. */
export class Traces extends Context.Reference<MatchTraces | undefined>("agon/MatchTraces", { defaultValue: () => undefined }) {}

/** Ids of the trace and of its first span; undefined where the share leaves the match out. */
export const idsOf = (id: string, share: number): SpanIds | undefined => {
  const digest = hash("sha256", id, "hex")
  if (Number.parseInt(digest.slice(48, 56), 16) / 2 ** 32 >= share) return undefined
  return { traceId: digest.slice(0, 32), spanId: digest.slice(32, 48) }
}

export const make = (share: number): Effect.Effect<MatchTraces> =>
  Effect.gen(function* () {
    const tracer = yield* Effect.tracer
    const clock = yield* Clock.Clock
    const now = () => clock.currentTimeNanosUnsafe()

    const begin = (name: string, startTime: bigint, more: Pick<Parameters<typeof tracer.span>[0], "annotations" | "parent">) =>
      tracer.span({ name, startTime, links: [], kind: "internal", root: false, sampled: true, ...more })

    /** A span of the match that has ended just now. */
    const below = (id: string, name: string, since: bigint, attributes: Attributes) => {
      const ids = idsOf(id, share)
      if (ids === undefined) return
      const span = begin(name, since, { annotations: Context.empty(), parent: Option.some(Tracer.externalSpan(ids)) })
      for (const [key, value] of Object.entries(attributes)) span.attribute(key, value)
      span.end(now(), Exit.void)
    }

    const chosen = (name: string, since: bigint, ids: Partial<SpanIds>) =>
      begin(name, since, { annotations: Context.make(Chosen, ids), parent: Option.none() })

    return {
      now,
      traceparent: (id) => {
        const ids = idsOf(id, share)
        return ids === undefined ? undefined : `00-${ids.traceId}-${ids.spanId}-01`
      },
      told: ({ results, runner, season, since, works }) => {
        for (const lease of results) below(parseLease(lease)!.id, "result", since, { season, runner, lease })
        for (const { kind, lease } of works) if (kind === "match") below(parseLease(lease)!.id, "lease", since, { season, runner, lease })
      },
      committed: ({ id: season, writes }, since, asks) => {
        const traced = writes.ended.flatMap((match) => {
          const ids = idsOf(match.id, share)
          return ids === undefined ? [] : [{ ids, match }]
        })
        if (traced.length === 0) return undefined
        const commit = chosen("season commit", since, {})
        const links: Links = traced.slice(0, LINKS_MAX).map(({ ids }) => ({ span: Tracer.externalSpan(ids), attributes: {} }))
        commit.addLinks(links)
        for (const [key, value] of Object.entries({ season, asks, matches: writes.ended.length })) commit.attribute(key, value)
        for (const { ids, match } of traced) {
          const { created_at, ending, fault_reason, id, lease_n: attempts, played_ms, turns } = match
          const span = chosen("match", BigInt(created_at) * 1_000_000n, ids)
          span.addLinks([{ span: commit, attributes: {} }])
          const said = { season, match: id, ending, attempts, ...(fault_reason === null ? { turns, played_ms } : { fault_reason }) }
          for (const [key, value] of Object.entries(said)) span.attribute(key, value)
          span.end(now(), Exit.void)
        }
        commit.end(now(), Exit.void)
        return commit
      }
    }
  })
