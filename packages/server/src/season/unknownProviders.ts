import type { Providers } from "../account/signin/Providers.ts"

/** Says that these sign-in providers are not configured, and which are. */
export const unknownProviders = (unknown: ReadonlyArray<string>, { list }: Providers["Service"]): string => {
  const configured = list.map(({ slug }) => slug).join(", ")
  if (configured === "") return "No sign-in provider is configured."
  return `There is no sign-in provider ${unknown.slice(0, SAID_MAX).join(", ")}. Configured are: ${configured}.`
}

/** How many unknown ones are named; more would push the known ones out of the sentence. */
const SAID_MAX = 3
