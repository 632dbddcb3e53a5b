/**
 * The addresses of a name that a stranger has given, from the machine's name servers. The system's own
 * look-up (getaddrinfo) would hold one of the two threads that Node has for it for as long as a name server
 * is silent, and the object store's, the mail server's and every other name would wait behind it. Names of
 * /etc/hosts are not known here: they are this network's own, where no webhook goes.
 */
import { Resolver } from "node:dns/promises"
import { Effect } from "effect"

const ASKED_FOR_MS = 2_000
const TRIES = 2

/** IPv4 first; none where the name is unknown or nobody answers. Never fails. */
export type AddressesOf = (name: string) => Effect.Effect<ReadonlyArray<string>>

/** This machine, whatever a name server says (RFC 6761). */
const isLocal = (name: string) => /(^|\.)localhost\.?$/i.test(name)

/** Asks these servers, as `address:port`, or the machine's own. A look-up that is interrupted is given up. */
export const addressesFrom =
  (servers?: ReadonlyArray<string>): AddressesOf =>
  (name) =>
    isLocal(name)
      ? Effect.succeed(["127.0.0.1"])
      : Effect.suspend(() => {
          const resolver = new Resolver({ timeout: ASKED_FOR_MS, tries: TRIES })
          if (servers !== undefined) resolver.setServers(servers)
          const found = (ask: () => Promise<Array<string>>) => Effect.orElseSucceed(Effect.tryPromise(ask), (): Array<string> => [])
          return Effect.all([found(() => resolver.resolve4(name)), found(() => resolver.resolve6(name))], { concurrency: 2 }).pipe(
            Effect.map((lists) => lists.flat()),
            Effect.onInterrupt(() => Effect.sync(() => resolver.cancel()))
          )
        })
