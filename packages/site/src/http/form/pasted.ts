/**
 * Ids and names of the site's things as people have them: typed, or within an address that they copied. The address may be one of the site
 * or of the API, whole or without its beginning: the site has several origins, and an id that another has made is nobody's here.
 */
import { type InvalidRequest, invalidField } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Effect } from "effect"
import { html } from "../../html/Html.ts"

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
/** Longer texts are no addresses of ours. */
const LENGTH_MAX = 2_048

/** The names of each kind of thing in addresses: before its id in the path, and in a parameter. */
const CALLED = {
  match: "match(?:es)?|replays",
  model: "models?",
  version: "versions?"
} as const
type Kind = keyof typeof CALLED

const afterName = (kind: Kind) => new RegExp(`(?:^|[/?&])(?:${CALLED[kind]})[/=](${UUID})(?![\\w-])`, "i")
const AFTER_NAME: Readonly<Record<Kind, RegExp>> = { match: afterName("match"), model: afterName("model"), version: afterName("version") }

/** The id that a text is, or that an address in it has; undefined where it names nothing of the kind. */
export const pastedId = (text: string, kind: Kind): string | undefined => {
  const plain = text.trim()
  if (plain.length > LENGTH_MAX) return undefined
  const id = plain.toLowerCase()
  return isUuid(id) ? id : AFTER_NAME[kind].exec(plain)?.[1]?.toLowerCase()
}

/** The same, refused beside the field where the text names nothing. */
export const idIn = (field: string, text: string, kind: Kind): Effect.Effect<string, InvalidRequest> => {
  const id = pastedId(text, kind)
  return id === undefined ? notNamed(field, `Paste the address of the ${kind}'s page, or type its id.`) : Effect.succeed(id)
}

export const notNamed = (field: string, message: string) => Effect.fail(invalidField(field, message))

/** The attributes of a field that takes an id or an address with one. */
export const ID_OR_ADDRESS = html`required pattern=".*[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}.*" spellcheck="false" autocomplete="off"`

/** A username, typed or at the end of the address of somebody's page; any other text as it is. */
export const pastedUsername = (text: string): string => after(text, "people")

/** A board's id, typed or in its page's address. */
export const pastedBoard = (text: string): string => after(text, "boards")

/** Names have letters, digits, and some signs which addresses leave as they are. */
const after = (text: string, folder: string): string => {
  const plain = text.trim()
  return new RegExp(`/${folder}/([\\w.-]+)/?(?:[?#].*)?$`).exec(plain)?.[1] ?? plain
}
