/** Whether two secrets are the same, in a time that tells neither where they differ nor, of the right one, how long it is. */
import { hash, timingSafeEqual } from "node:crypto"

export const sameSecret = (given: string, right: string) =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", right, "buffer"))
