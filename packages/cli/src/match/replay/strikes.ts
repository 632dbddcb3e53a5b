/** A seat's strikes with their codes and turns, as `3 (crash, turns 0, 2, 4)`; undefined where it has none. */
import type { Replay } from "@agon/engine/replay/Replay.ts"

/** Turns named of one code; a match may have a hundred strikes of a seat. */
const TURNS_MAX = 8

export const strikesOf = ({ strikes }: Pick<Replay, "strikes">, seat: number): string | undefined => {
  const own = strikes.filter((strike) => strike.seat === seat)
  const named = [...Map.groupBy(own, ({ code }) => code)].map(([code, of]) => {
    const turns = of.slice(0, TURNS_MAX).map(({ turn }) => turn)
    return `${code}, ${of.length === 1 ? "turn" : "turns"} ${turns.join(", ")}${of.length > TURNS_MAX ? ", …" : ""}`
  })
  return own.length === 0 ? undefined : `${own.length} (${named.join("; ")})`
}
