/** Each change by somebody with the right to it stands in the administrative log, written with the change itself. */
import type { Command, Reply } from "@agon/domain/season/Command.ts"
import type { View } from "../View.ts"
import { must } from "./Promise.ts"

/** Commands that write no log row where there is nothing left to change. */
const IDLE = ["SwitchBoard", "SwitchBaseline", "EditSettings", "CloseSeason", "SubmitVersion", "Disqualify", "Reinstate", "SwitchOwner"]

export const checkAudit = (command: Command, reply: Reply, rows: View): void => {
  const audit = "audit" in command ? command.audit : undefined
  if (audit === undefined) return
  const refused = typeof reply === "object" && reply !== null && "refused" in reply
  const told = rows.audits.has(audit.id)
  if (refused) must(!told, "what was refused is not in the log", command, reply)
  else must(told || IDLE.includes(command._tag), "what an administrator did is in the log", command, reply)
}
