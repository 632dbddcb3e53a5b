/**
 * Charges for slow moves. Admission compared a model with the season's `infer_us_max`; a model that is slower
 * in a match is charged for it. Each seat has an account of processor time:
 *
 *   a move adds     2 x infer_us_max, since the machine that plays may be half as fast as the one that admitted
 *   it takes        what the model's thread used of the processor in the runtime (`Charges`), not the time that passed
 *   at most         1 s is kept, which is also the initial balance: a few slow moves are harmless
 *   below zero      the move is a `timeout` strike, the answer does not count, the seat's memory is zeroed, and the account is at zero
 *
 * A seat's first run in a thread, which allocates and packs, is not charged; its deadline bounds it. Strikes
 * are recorded in the replay, and a replayed match takes them from there.
 */
import { MOVE_DEADLINE_MS } from "./Match.ts"

const MACHINES_FACTOR = 2
export const RESERVE_US = MOVE_DEADLINE_MS * 1_000

/** The account after a move, and whether the move gets a strike. */
export const charge = (
  account_us: number,
  cost_us: number,
  infer_us_max: number
): { readonly account_us: number; readonly struck: boolean } => {
  const left_us = account_us + MACHINES_FACTOR * infer_us_max - cost_us
  return left_us < 0 ? { account_us: 0, struck: true } : { account_us: Math.min(RESERVE_US, left_us), struck: false }
}
