/**
 * The address that a public request counts against. X-Forwarded-For is trusted only from proxies named
 * in TRUSTED_PROXIES: the header is read from its end, and the first address that is no such proxy is
 * the client's. An IPv6 client counts by its /64 network, the smallest that anybody is assigned: by the
 * whole address a single client would have 2^64 buckets.
 *
 * The site reads on behalf of its visitors. It repeats what the service has told it (http/page/SitePages.ts): the address, signed with a
 * secret that never leaves the service. It is believed of requests from the site's own address alone, straight or through a proxy.
 */

import { BlockList, isIP } from "node:net"
import { VISITOR } from "@agon/api/Visitor.ts"
import { Context, Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import { hmacSha256 } from "../object/hmacSha256.ts"
import { sameSecret } from "./sameSecret.ts"

/** From the peer of the connection, its X-Forwarded-For and the site's header to the client's address. */
export type ClientAddressOf = (peer: string, forwardedFor: string | undefined, visitor?: string | undefined) => string

/** Signs an address as this module counts it, for the site to repeat. */
export type Told = (address: string) => string

export const telling = (secret: Redacted.Redacted): Told => {
  const mac = hmacSha256(Redacted.value(secret))
  return (address) => `${address} ${mac(address)}`
}

/** A site whose word is believed. */
export interface BelievedSite {
  readonly told: Told
  /** Whether requests of this address are the site's. */
  readonly isAt: (address: string) => boolean
}

/** `proxies` are addresses or networks (`10.0.0.0/8`). */
export const trusting = (proxies: ReadonlyArray<string>, site?: BelievedSite): ClientAddressOf => {
  const direct = trustingProxies(proxies)
  if (site === undefined) return direct
  return (peer, forwardedFor, visitor) => {
    const client = direct(peer, forwardedFor)
    return visitor !== undefined && site.isAt(client) ? (toldBySite(visitor, site.told) ?? client) : client
  }
}

const toldBySite = (visitor: string, told: Told): string | undefined => {
  const [, address] = /^([0-9a-fA-F.:/]{1,64}) [0-9a-f]{64}$/.exec(visitor) ?? []
  return address !== undefined && sameSecret(visitor, told(address)) ? address : undefined
}

const trustingProxies = (proxies: ReadonlyArray<string>): ClientAddressOf => {
  if (proxies.length === 0) return (peer) => countedAs(plain(peer))
  const trusted = new BlockList()
  for (const proxy of proxies) {
    const [address = "", bits] = proxy.split("/")
    const family = isIP(address) === 6 ? "ipv6" : "ipv4"
    if (bits === undefined) trusted.addAddress(address, family)
    else trusted.addSubnet(address, Number(bits), family)
  }
  const trusts = (address: string) => isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? "ipv6" : "ipv4")
  return (peer, forwardedFor) => {
    let client = plain(peer)
    const hops = forwardedFor?.split(",") ?? []
    while (hops.length > 0 && trusts(client)) {
      const hop = plain(hops.pop()!.trim())
      if (isIP(hop) === 0) break // not an address, so it may be forged: counts as the proxy that passed it on
      client = hop
    }
    return countedAs(client)
  }
}

/** An address reserved for documentation (RFC 5737), which no client has. */
const SOMEBODY = "192.0.2.1"

/** Whether the peer is a trusted proxy. */
export const speaksForOthers = (addressOf: ClientAddressOf, peer: string) => addressOf(peer, SOMEBODY) === SOMEBODY

/** An IPv4 address unchanged, an IPv6 address as its network: `2001:db8:0:1::/64`. */
export const countedAs = (address: string) => {
  if (!address.includes(":")) return address
  const [head = [], tail] = address.split("::").map((part) => part.split(":").filter((group) => group !== ""))
  const written = [...head, ...(tail ?? [])]
  const length = written.length + (written.at(-1)?.includes(".") ? 1 : 0) // an IPv4 address at the end is two groups
  const zeros = tail === undefined ? [] : Array<string>(8 - length).fill("0")
  const groups = [...head, ...zeros, ...(tail ?? [])].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`
}

/** An IPv4 address that arrived on an IPv6 socket is the IPv4 address. */
const plain = (address: string) => address.replace(/^::ffff:(?=.*\.)/i, "")

export class ClientAddress extends Context.Reference<ClientAddressOf>("agon/ClientAddress", { defaultValue: () => trusting([]) }) {}

/** The address of the request whose context it is. */
export const clientAddressIn = (context: Context.Context<HttpServerRequest.HttpServerRequest>): string => {
  const { headers, remoteAddress } = Context.get(context, HttpServerRequest.HttpServerRequest)
  const peer = Option.getOrElse(remoteAddress, () => "")
  return Context.get(context, ClientAddress)(peer, headers["x-forwarded-for"], headers[VISITOR])
}

export const clientAddress = Effect.map(Effect.context<HttpServerRequest.HttpServerRequest>(), clientAddressIn)
