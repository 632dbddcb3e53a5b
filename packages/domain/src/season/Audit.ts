/** A row of the administrative log, written in the same commit as the change it records (docs/contract.md#audit-log). */
export interface Audit {
  readonly id: string
  readonly actor: string | null // account id; null: the service itself
  readonly action: string
  readonly subject: string
  readonly detail: unknown
}

interface Log {
  readonly now: number
  readonly writes: { readonly audits: Array<Audit & { readonly at: number }> }
}

/** Called by a command that has changed something; a command that changed nothing leaves no row. */
export const logged = ({ now, writes }: Log, audit: Audit | undefined): void => {
  if (audit !== undefined) writes.audits.push({ ...audit, at: now })
}
