/** DATABASE_URL as the driver reads it: it ignores parameters that it does not know, and takes a wrong value of one for a server that is away. */
import { isDecodable, url } from "./variables.ts"

const PARAMETERS: ReadonlyMap<string, RegExp> = new Map([
  ["host", /^/],
  ["port", /^[0-9]{1,5}$/],
  ["user", /^/],
  ["password", /^/],
  ["dbname", /^/],
  ["application_name", /^/],
  ["options", /^/],
  ["connect_timeout", /^[0-9]{1,9}$/],
  ["sslmode", /^(disable|allow|prefer|require|verify-ca|verify-full)$/]
])

export const databaseAddress = (value: string) => {
  const parsed = url("postgres:", "postgresql:")(value)?.value
  if (parsed === undefined) return undefined
  if (!isDecodable(parsed.username + parsed.password + parsed.pathname)) return "a % in it is written %25"
  const wrong = [...parsed.searchParams].find(([name, text]) => PARAMETERS.get(name)?.test(text) === false)
  return wrong === undefined ? { value } : `its parameter ${wrong[0]} has a value that is none`
}

/** A sentence for each of its parameters that nothing reads, as ssl=true: the connection is in the clear then. */
export const unreadParameters = (address: string): ReadonlyArray<string> =>
  [...new URL(address).searchParams.keys()]
    .filter((name) => !PARAMETERS.has(name))
    .map((name) => {
      const named = /^\w{1,40}$/.test(name) ? `its parameter ${name}` : "one of its parameters"
      return `DATABASE_URL: nothing reads ${named}; it takes ${[...PARAMETERS.keys()].join(", ")}, and sslmode=require for TLS`
    })
