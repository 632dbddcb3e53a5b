/**
 * Parameters by their meaning to a caller. Queries travel as text, so the library shows `limit` as a string
 * with a pattern; a client generated from that would have to be given "25". Types, bounds and defaults are
 * read from the endpoint's own query schema.
 */
import { Option, Schema } from "effect"

/** The meanings of names in paths and queries, wherever they occur. */
const meanings: Readonly<Record<string, string>> = {
  "path provider": "A sign-in provider, by its slug.",
  "path sid": "A session, by its id.",
  "path username": "A competitor, by username.",
  "path game": "A game, by its slug.",
  "path slug": "A season of the game, or a post, by its slug.",
  "path map_id": "A board of the season, by its id.",
  "path baseline": "A baseline of the season, by its name.",
  "path n": "A round of the season, by its number.",
  "path key": "A runner key, by its id.",
  "path runner": "A runner, by its id.",
  "path lease": "A lease, as it was handed out.",
  "path word": "A word of the list, in whatever case.",
  "path model": "A model, by its id.",
  "path id": "The id: a UUID in lower case. Any other text is the id of nothing.",
  "query return_to": "Where to go after the sign-in: a path on this origin. Anything else is ignored.",
  "query user_code": "The code that the device shows; case, spaces and hyphens do not matter.",
  "query q": "The beginning of a username, a display name or a login, in whatever case. The first 300 by each are found.",
  "query name":
    "The beginning of a model's name or of its owner's username, in whatever case. The first 1,000 models and owners in the alphabet are looked at.",
  "query login": "A part of a login, in whatever case.",
  "query season": "A season, by its slug; without it the featured one.",
  "query game": "A game, by its slug.",
  "query ladder": "A ladder.",
  "query cursor": "Where the page begins: the `next_cursor` of the page before.",
  "query enabled": "Only boards in play.",
  "query boards": "Each row carries its board file.",
  "query model": "A model, by its id.",
  "query match": "A match, by its id.",
  "query state": "The state that they are in.",
  "query version": "A version, by its id.",
  "query kind": "Only things of this kind.",
  "query from": "This day and later ones, in UTC.",
  "query to": "This day and earlier ones, in UTC.",
  "query class": "Some seat is of this weight class.",
  "query map": "A board, by its id.",
  "query outcome": "How it ended for the side that `model`, `version` or `owner` names; needs one of them.",
  "query owner": "A competitor, by username.",
  "query players_min": "At least so many seats.",
  "query players_max": "At most so many seats.",
  "query vs": "Two models that met: their ids, which differ, with a comma between them.",
  "query since": "Played at this time or after it.",
  "query token": "The token at the end of the address in the mail.",
  "query top": "Some seat stood among the first so many of the ladder when it was played.",
  "query sort": "The order; equal ones are newest first.",
  "query id": "The same as in the body, for clients whose DELETE has none.",
  "query username": "The same as in the body, for clients whose DELETE has none."
}

/** Above the limit of every list. */
const TOO_MANY = "1000000000"

interface Parameter {
  readonly name: string
  readonly in: string
  schema: Readonly<Record<string, unknown>>
  description?: string
}

export const describeParameters = (parameters: ReadonlyArray<Parameter>, query: Schema.Top | undefined): void => {
  const types = query === undefined ? {} : typesOf(query)
  const read = query === undefined ? (): Fields => ({}) : reader(query)
  const defaults = read({})
  for (const parameter of parameters) {
    const { in: place, name } = parameter
    const meaning = meanings[`${place} ${name}`]
    if (meaning !== undefined) parameter.description = meaning
    if (place !== "query") continue
    const type = types[name]
    // A cursor is decoded to a number, but callers pass it on as opaque text.
    if (name !== "cursor" && (type?.["type"] === "integer" || type?.["type"] === "boolean")) parameter.schema = type
    const value = defaults[name]
    if (value !== undefined) parameter.schema = { ...parameter.schema, default: name === "cursor" ? String(value) : value }
    if (name === "limit") parameter.description = `Rows on a page; more than ${read({ limit: TOO_MANY })["limit"]} count as that many.`
  }
}

type Fields = Readonly<Record<string, any>>

const typesOf = (query: Schema.Top): Fields => {
  const { schema } = Schema.toJsonSchemaDocument(Schema.toType(query))
  return (schema as Fields)["properties"] ?? {}
}

/** Decodes a query with the endpoint's schema, which applies defaults and clamps numbers. */
const reader = (query: Schema.Top) => {
  const decode = Schema.decodeUnknownOption(Schema.toCodecStringTree(query) as unknown as Schema.Codec<Fields>)
  return (given: object): Fields => Option.getOrElse(decode(given), () => ({}))
}
