import { type Source, uuidOf } from "./Random.ts"

/**
 * A row of the administrative log, written in the same commit as the change it records
 * (docs/contract.md#audit-log).
 */
export interface Audit {
  readonly id: string
  readonly actor: string | null // account id; null: the service itself
  readonly action: AuditAction
  readonly subject: string
  readonly detail: unknown
}

/** Actions of administrators, of operators and of the service itself that are logged (docs/contract.md#audit-log). */
export type AuditAction =
  | `admin.${"appoint" | "dismiss"}`
  | `announcement.${"add" | "edit" | "remove"}`
  | `baseline.${"import" | "record" | "switch"}`
  | `board.${"add" | "import" | "switch"}`
  | `comment.${"approve" | "remove"}`
  | `match.${"doubt" | "unaudited" | "unchecked" | "void"}`
  | `participant.${"add" | "remove"}`
  | `pick.${"add" | "remove"}`
  | "platform.notify"
  | `post.${"add" | "edit" | "remove"}`
  | `round.${"patch" | "plan"}`
  | `runner-key.${"create" | "revoke"}`
  | `runner.${"doubt" | "flag" | "stop"}`
  | `season.${"close" | "create" | "doubt" | "edit" | "entry" | "feature" | "fill" | "fleet" | "notify" | "remove"}`
  | `story.${"approve" | "feature" | "reject" | "unfeature"}`
  | `thread.${"lock" | "open"}`
  | "user.edit"
  | `version.${"disqualify" | "doubt" | "reinstate"}`
  | `webhook.${"create" | "edit" | "remove" | "rotate" | "test"}`
  | `word.${"add" | "remove"}`

interface Log {
  readonly now: number
  readonly writes: { readonly audits: Array<Audit & { readonly at: number }> }
}

/** Called by a command that has changed something; a command that changed nothing leaves no row. */
export const logged = ({ now, writes }: Log, audit: Audit | undefined): void => {
  if (audit !== undefined) writes.audits.push({ ...audit, at: now })
}

/** A row that the season writes of itself. `n`: a small number, kept in the row's id. */
export const writtenItself = (log: Log & Source, action: AuditAction, subject: string, n: number, detail: unknown): void =>
  logged(log, { id: uuidOf(log, log.now, n), actor: null, action, subject, detail })
