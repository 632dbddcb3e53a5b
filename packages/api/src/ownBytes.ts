/**
 * A copy that has its memory to itself, for bytes that are kept. Node cuts a buffer of less than 32 KiB out
 * of a slab of 64 KiB, which stays whole for as long as anything of it is kept: a kept page of 19 kB held 64
 * KiB, with the garbage of the request beside it.
 */
export const ownBytes = (bytes: Uint8Array): Buffer => {
  const own = Buffer.allocUnsafeSlow(bytes.length)
  own.set(bytes)
  return own
}
