import { engines } from "@agon/engine/registry.ts"
import { Flag } from "effect/cli"

export const gameFlag = Flag.Literals(
  "game",
  engines.map(({ slug }) => slug)
).pipe(Flag.withDescription("The game the model plays"))
