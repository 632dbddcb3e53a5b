/** A comparison as commands say it. */
import type { Estimate } from "./Comparison.ts"

/** With its sign; infinite where one model has all the points. */
const signed = (elo: number): string => (Number.isFinite(elo) ? `${elo < 0 ? "" : "+"}${elo.toFixed(0)}` : elo < 0 ? "-inf" : "+inf")

export const say = ({ elo, high, low }: Estimate): string => `${signed(elo)} Elo (${signed(low)} to ${signed(high)})`

/** JSON has no infinity. */
export const finite = (elo: number): number | null => (Number.isFinite(elo) ? elo : null)
