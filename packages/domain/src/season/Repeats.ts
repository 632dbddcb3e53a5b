/**
 * Commands that are delivered again. A command that makes something, or that may have been undone since, is
 * known by the row that its first delivery left: it is answered as it was then, and changes nothing. The
 * others do the same thing twice without harm.
 */
import type { Command, Reply } from "./Command.ts"
import type { State } from "./State.ts"
import { versionOf } from "./VersionCounts.ts"

/** The id of the row that the command leaves where it changes something: of a version, or in the administrative log. */
export const rowOf = (command: Command): string | undefined => {
  if (command._tag === "SubmitVersion") return command.version
  return "audit" in command ? command.audit?.id : undefined
}

/** The answer that the command got at first; none if it is new, or may run again. `isWritten`: its row is there. */
export const answerToRepeat = (state: State, command: Command, isWritten: boolean): Reply | undefined => {
  const row = rowOf(command)
  if (row === undefined || !(isWritten || isInThisCommit(state, row))) return undefined
  switch (command._tag) {
    case "SubmitVersion": {
      const { number, version: submitted } = command
      return { submitted, number, upload_until: versionOf(state, submitted)?.upload_until ?? null, fresh: true }
    }
    case "AddBoard":
      return { added: true }
    case "SwitchBoard":
    case "SwitchBaseline":
      return { enabled: command.enabled }
    case "EditSettings":
      return { edited: true }
    case "PlanRound":
      return { n: planned(state, command) }
    case "PatchRound":
      return { n: command.n }
    case "Disqualify":
      return { status: "disqualified" }
    case "Reinstate": {
      const { phase = null, status = "entered" } = versionOf(state, command.version) ?? {}
      return { status, phase }
    }
    default:
      return undefined
  }
}

const isInThisCommit = ({ writes }: State, row: string): boolean => writes.inserted.has(row) || writes.audits.some(({ id }) => id === row)

/**
 * The row of a round does not say who planned it: it is the last of these words, or the last of
 * all where it was moved since.
 */
const planned = ({ rounds }: State, { games, kind, starts_at }: Extract<Command, { _tag: "PlanRound" }>): number =>
  (rounds.findLast((round) => round.kind === kind && round.games === games && round.starts_at === starts_at) ?? rounds.at(-1)!).n
