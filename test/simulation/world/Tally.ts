/** Counts what runners do wrong, for the test that asks whether everything that can go wrong did. */
import type { Command, Of, Replies } from "@agon/domain/season/Command.ts"
import { count, type Seen } from "./Run.ts"

export interface Tally {
  readonly asked: (command: Command, now: number) => void
  readonly told: (command: Command, reply: unknown) => void
}

interface Grant {
  readonly key: string
  readonly until: number
}

export const make = (seen: Seen): Tally => {
  const grants = new Map<string, Grant>()
  const reported = new Set<string>()
  return {
    asked: (command, now) => {
      count(seen, `command ${command._tag}`)
      if (!isResult(command)) return
      const grant = grants.get(command.lease)
      if (grant === undefined) return count(seen, "result for a lease nobody has")
      if (grant.key !== command.key) return count(seen, "result under another key")
      if (reported.has(command.lease)) count(seen, "result repeated")
      if (grant.until <= now) count(seen, "result delayed past its lease")
      reported.add(command.lease)
    },
    told: (command, reply) => {
      const refused = typeof reply === "object" && reply !== null && "refused" in reply && reply.refused
      if (refused && !Array.isArray(refused)) count(seen, `${command._tag} ${String(refused)}`)
      if (command._tag === "VoidMatch") {
        const answer = reply as Replies["VoidMatch"]
        count(seen, `void ${answer.voided ? "done" : answer.reason}`)
      }
      if (command._tag !== "LeaseWork") return
      for (const { lease, until } of reply as Replies["LeaseWork"]) grants.set(lease, { key: command.key, until })
    }
  }
}

const isResult = (command: Command): command is Of<"ReportMatch"> | Of<"ReportFault"> | Of<"ReportAdmission"> =>
  command._tag === "ReportMatch" || command._tag === "ReportFault" || command._tag === "ReportAdmission"
