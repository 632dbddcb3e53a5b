/** A row of the administrative log, written in the same commit as what it tells of (docs/contract.md#audit-log). */
export interface Audit {
  readonly id: string
  readonly actor: string | null // account id; null: the service itself
  readonly action: string
  readonly subject: string
  readonly detail: unknown
}
