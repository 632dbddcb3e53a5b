/**
 * Addresses of the public internet. A webhook goes to no other: the service stands in a network of its own,
 * whose machines trust each other. IPv6 has one block for the public, of which parts are for other uses; IPv4
 * addresses written as IPv6 ones lie outside it.
 */
import { BlockList, isIP } from "node:net"

const PRIVATE_V4 = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24"],
  ...["192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"]
]
const PUBLIC_V6 = ["2000::/3"]
/** Special uses and Teredo, documentation, 6to4. */
const PRIVATE_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]

const listOf = (networks: ReadonlyArray<string>, family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList()
  for (const network of networks) {
    const [address = "", bits] = network.split("/")
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const privateV4 = listOf(PRIVATE_V4, "ipv4")
const publicV6 = listOf(PUBLIC_V6, "ipv6")
const privateV6 = listOf(PRIVATE_V6, "ipv6")

export const isPublicAddress = (address: string): boolean => {
  if (isIP(address) === 4) return !privateV4.check(address, "ipv4")
  return isIP(address) === 6 && !address.includes("%") && publicV6.check(address, "ipv6") && !privateV6.check(address, "ipv6")
}
