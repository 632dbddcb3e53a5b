/**
 * Which matches are in the share that is looked at again. It is drawn by a secret of the nodes: a runner knows the id of
 * a match before it reports it, and would lie about those alone that nobody looks at.
 */
import { hmacSha256 } from "../../object/hmacSha256.ts"

/** Whether a match is in the share of a use: the same answer on every node and at any time; each use draws its own share. */
export type Drawn = (share: number, use: "replay" | "audit", match: string) => boolean

export const drawnBy = (secret: string): Drawn => {
  const mac = hmacSha256(secret)
  return (share, use, match) => Number.parseInt(mac(`${use} ${match}`).slice(0, 8), 16) < share * 2 ** 32
}
