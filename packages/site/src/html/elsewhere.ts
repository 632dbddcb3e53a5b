/**
 * Signed addresses of files: the service's own below its origin, or those of a bucket at an origin of its own. Islands use it too
 * (islands.ts).
 */

const OBJECTS = "/objects/"
/** Every signature of S3 has it in the address, and none of the service's does. */
const OF_A_BUCKET = "X-Amz-Signature"

/** Whether the service itself answers at the signed address. A loopback origin has several names, so its origin does not say. */
export const isOfService = (address: string): boolean => {
  const { pathname, searchParams } = new URL(address)
  return pathname.startsWith(OBJECTS) && !searchParams.has(OF_A_BUCKET)
}
