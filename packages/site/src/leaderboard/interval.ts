/** How far from its rating an entry's strength may lie, as every page says it: half of the interval that has it with a probability of 95 %. */

/** A normal deviate lies within so many deviations of its mean with that probability. */
const DEVIATIONS_95 = 1.96

interface Uncertain {
  readonly deviation: number
}

/** In points of rating. */
export const half = ({ deviation }: Uncertain): number => DEVIATIONS_95 * deviation

export const plusMinus = (rated: Uncertain): string => `± ${Math.round(half(rated))}`
