/**
 * Sockets to Postgres that end by themselves where nothing has passed for a while. The driver waits for an answer without a limit, and
 * BEGIN, COMMIT and ROLLBACK cannot be interrupted by whoever waits for them. Where a line is cut in silence, the system gives a socket up
 * after a quarter of an hour, and behind a proxy that keeps its side open never; until then the connection is lost to its pool, and so is
 * the work that runs on it. A socket that ends fails its statement like one that breaks, and the pool opens another.
 *
 * A limit is longer than the server's own for a statement, since silence is all that can be seen of one that runs. It ends connections that are
 * idle as well, so that those which were cut beside the first one are not found one after another.
 */
import { connect, type Socket } from "node:net"
import { Duration, Redacted } from "effect"

interface Ends {
  /** After so long without a byte. */
  readonly silent: Duration.Duration
  /** Of TCP, which finds a machine that is gone while nothing is under way. */
  readonly keepAlive: Duration.Duration
}

/** Where the driver connects to by this URL: a name with a slash at its front is the folder of a socket. */
export const addressOf = (url: string): { readonly path: string } | { readonly host: string; readonly port: number } => {
  const { hostname, port: named, searchParams } = new URL(url)
  const host = searchParams.get("host") ?? (decodeURIComponent(hostname).replace(/^\[(.*)\]$/, "$1") || "localhost")
  const port = Number(searchParams.get("port") ?? (named || 5432))
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

export const socketTo =
  (url: Redacted.Redacted, { keepAlive, silent }: Ends) =>
  (): Socket => {
    const address = addressOf(Redacted.value(url))
    const keptAlive = { keepAlive: true, keepAliveInitialDelay: Duration.toMillis(keepAlive) }
    const socket = connect("path" in address ? address : { ...address, ...keptAlive, noDelay: true })
    const why = `no byte from the database in ${Duration.toSeconds(silent)} s: the connection is given up`
    socket.setTimeout(Duration.toMillis(silent), () => socket.destroy(new Error(why)))
    return socket.on("error", () => {}) // the driver hears of it too, but not while it makes TLS of the socket
  }
