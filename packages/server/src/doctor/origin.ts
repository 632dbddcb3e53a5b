/**
 * PUBLIC_ORIGIN, asked from this machine: its name is known, and while the service runs here it leads to one. Before that nothing
 * is said of a proxy that has nobody to ask.
 */
import { Effect } from "effect"
import { publicOrigin } from "../config/publicOrigin.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { textOf } from "./addresses.ts"
import { about, type Finding } from "./Finding.ts"
import { type Fetched, fetched, jsonOf } from "./fetched.ts"

const says = about("origin")
const UNKNOWN = ["ENOTFOUND", "EAI_AGAIN"]

export const checkOrigin = ({ host, port, public_origin }: Pick<SettingsShape, "host" | "port" | "public_origin">) =>
  Effect.promise(async (): Promise<ReadonlyArray<Finding>> => {
    if (publicOrigin(public_origin).loopback) return []
    const [here, there] = await Promise.all([fetched(`http://${textOf({ host, port })}/readyz`), fetched(`${public_origin}/readyz`)])
    return judged(public_origin, isReady(here), there)
  })

const isReady = (answer: Fetched) => jsonOf(answer)?.["ready"] === true

const judged = (origin: string, runs: boolean, there: Fetched): ReadonlyArray<Finding> => {
  const mend = (sentence: string) => [says.mend(`PUBLIC_ORIGIN: ${sentence}`)]
  if (isReady(there)) return [says.fine(`PUBLIC_ORIGIN: a service answers at ${origin}`)]
  if ("code" in there && UNKNOWN.includes(there.code))
    return mend(`this machine finds no address of ${new URL(origin).hostname} (${there.code}); mend the name, or what the name server says`)
  if (!runs) return []
  return "code" in there
    ? mend(
        `the service runs, and nothing answers this machine at ${origin} (${there.code}); look at the proxy, its certificate and the name`
      )
    : mend(`the service runs, and ${origin} answers ${there.status} instead of it; look at the proxy, and where it passes requests on to`)
}
