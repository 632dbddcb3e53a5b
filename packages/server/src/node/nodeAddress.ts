/** A node's address in one word, as the cluster's library writes it: `host:port`, an IPv6 host without brackets. */
import type { Address } from "../config/variables.ts"

export const written = ({ host, port }: Address): string => `${host}:${port}`

export const read = (address: string): Address => {
  const colon = address.lastIndexOf(":")
  return { host: address.slice(0, colon), port: Number(address.slice(colon + 1)) }
}
