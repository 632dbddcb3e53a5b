/** The result of one of the doctor's checks: one sentence, which for a fault names the mending. */
import { Effect } from "effect"

/** `mend`: the service starts, but something should be mended soon. `broken`: it does not start, or does not work. */
export type State = "fine" | "mend" | "broken"

export interface Finding {
  readonly check: string
  readonly state: State
  readonly says: string
}

/** The findings of one check, under its name. */
export const about = (check: string) => {
  const finding = (state: State) => (says: string) => ({ check, state, says }) satisfies Finding
  return { fine: finding("fine"), mend: finding("mend"), broken: finding("broken") }
}

/** A check that ends in a refusal is broken, and says what the start would say. */
export const refusedIsBroken =
  (check: string) =>
  <E extends { readonly message: string }, R>(run: Effect.Effect<ReadonlyArray<Finding>, E, R>) =>
    Effect.catch(run, ({ message }) => Effect.succeed([about(check).broken(message)]))

const STATUS: Readonly<Record<State, number>> = { fine: 0, mend: 1, broken: 2 }

/** The exit status: 0 nothing to do, 1 something to mend, 2 the service cannot work. */
export const statusOf = (findings: ReadonlyArray<Finding>) => Math.max(0, ...findings.map(({ state }) => STATUS[state]))
