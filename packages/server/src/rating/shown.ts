/**
 * Ratings as people read them (docs/contract.md#rating-fields): around 1500, two decimals. The
 * order is by the unrounded value.
 */
import { SHOWN_AT } from "@agon/domain/rating/Rating.ts"

export const twoDecimals = (figure: number) => Math.round(figure * 100) / 100 + 0 // + 0 turns -0 into 0
export const shown = (mu: number) => twoDecimals(SHOWN_AT + mu)
