/** Redis answers and lets the service in. The service works without it, but not as it should. */
import { Effect, Redacted } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import { about, type Finding } from "./Finding.ts"

const ANSWER_TIMEOUT_MS = 5_000

const says = about("others")

export const checkRedis = ({ redis_url }: Pick<SettingsShape, "redis_url">): Effect.Effect<ReadonlyArray<Finding>> =>
  redis_url === undefined ? Effect.succeed([]) : Effect.promise(async () => [await asked(Redacted.value(redis_url))])

const asked = async (url: string): Promise<Finding> => {
  const { hostname, port } = new URL(url)
  const at = `REDIS_URL: ${hostname}:${port || 6379}`
  const alone = "so each node counts rate limits by itself"
  const refused = await refusalOf(url)
  if (refused === undefined) return says.fine(`${at} answers`)
  if (/^(WRONGPASS|NOAUTH|NOPERM)\b/.test(refused))
    return says.mend(`${at} does not let the service in (${refused.split(" ")[0]}), ${alone}; mend the user and the password`)
  return says.mend(`${at} does not answer (${refused}), ${alone}; start it or mend the address`)
}

/** Why the server does not answer as a Redis does; undefined where it does. */
const refusalOf = async (url: string): Promise<string | undefined> => {
  const { createClient } = await import("@redis/client")
  const client = createClient({ url, socket: { connectTimeout: ANSWER_TIMEOUT_MS, reconnectStrategy: false } })
  client.on("error", () => undefined) // the promises say it
  const late = AbortSignal.timeout(ANSWER_TIMEOUT_MS)
  const tooLate = new Promise<never>((_, fail) => late.addEventListener("abort", () => fail(new Error("it is silent"))))
  try {
    await Promise.race([client.connect().then(() => client.ping()), tooLate])
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code ?? message
  } finally {
    if (client.isOpen) client.destroy()
  }
}
