/**
 * The addresses that the site's requests come from, which are those that it is reached at. A name is looked up again every minute, since
 * a container that starts again may have another address; while it cannot be looked up, the last addresses hold.
 */
import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { Effect } from "effect"
import type { SettingsShape } from "../../config/Settings.ts"
import { countedAs } from "../ClientAddress.ts"

const LOOKED_UP_EVERY = "1 minute"
const LOOKUP_TIMEOUT = "10 seconds"

/** A site beside the service comes from this machine: from loopback, or from the address that the service listens on. */
const hostsOf = ({ host, site }: Pick<SettingsShape, "host" | "site">): ReadonlyArray<string> => {
  if (site === "off") return []
  return site === "own" ? ["127.0.0.1", "::1", host] : [site.host]
}

const lookedUp = (host: string) =>
  Effect.tryPromise(() => lookup(host, { all: true })).pipe(
    Effect.timeout(LOOKUP_TIMEOUT),
    Effect.map((found) => found.map(({ address }) => countedAs(address))),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning("the site's name cannot be looked up", cause), undefined))
  )

/** Whether an address, as it is counted, is the site's. */
export const siteAddresses = Effect.fnUntraced(function* (settings: Pick<SettingsShape, "host" | "site">) {
  const hosts = hostsOf(settings)
  const written = new Set(hosts.filter((host) => isIP(host) !== 0).map(countedAs))
  const named = hosts.filter((host) => isIP(host) === 0)
  const found = new Map<string, ReadonlyArray<string>>()
  const lookUp = Effect.forEach(named, (host) =>
    Effect.map(lookedUp(host), (addresses) => {
      if (addresses !== undefined) found.set(host, addresses)
    })
  )
  if (named.length > 0) yield* Effect.forkScoped(Effect.forever(Effect.andThen(lookUp, Effect.sleep(LOOKED_UP_EVERY))))
  return (address: string) => written.has(address) || [...found.values()].some((addresses) => addresses.includes(address))
})
