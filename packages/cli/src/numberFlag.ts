import { Flag } from "effect/cli"

/** A whole number with a default, which the help tells. */
export const numberFlag = (name: string, description: string, standard: number) =>
  Flag.Int(name).pipe(Flag.withDescription(`${description} (default: ${standard})`), Flag.withDefault(standard))
