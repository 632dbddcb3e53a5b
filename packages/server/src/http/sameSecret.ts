/** Whether two secrets are equal, in a time that reveals neither where they differ nor the length of the right one. */
import { hash, timingSafeEqual } from "node:crypto"

export const sameSecret = (given: string, right: string) =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", right, "buffer"))
