/** Forms of the administration pages: those of a season and those of the platform. */
import type { Client } from "@agon/api/Client.ts"
import { Data, Effect } from "effect"
import { platformAdminAt, seasonAdminAt, withQuery } from "../html/links.ts"
import { type Form, form, type Typed } from "../http/form/Form.ts"

/** The parameter by which a page says that a form was taken. */
export const DONE = "done"
/** The element of each page that tells what became of a form. */
export const OUTCOME = "outcome"

interface Taken {
  readonly client: Client
}

interface Own<Name extends string, Asked extends Taken> {
  readonly name: string
  readonly fields: ReadonlyArray<Name>
  readonly codes?: Readonly<Record<string, Name>>
  readonly adds?: true
  /** Leads back to the page that it is on, unless it answers something else. */
  readonly send: (asked: Asked & { readonly typed: Typed<Name> }) => Effect.Effect<unknown, unknown>
}

/** The season as the parameters of the API's paths. */
export interface OfSeason {
  readonly game: string
  readonly slug: string
}

/** Answered by a form's `send` to show something at once on its page, where nobody sees it again. */
export class ShownHere extends Data.Class<{ readonly shown: unknown }> {}
/** Answered by a form's `send` to lead to another page than its own. */
export class LeadsTo extends Data.Class<{ readonly to: string }> {}

const answered = (answer: unknown, back: string) => (answer instanceof ShownHere || answer instanceof LeadsTo ? answer : { to: back })

/** A page that says that a form was taken; forms lead back to the same page of the same list. */
export const doneAt = (path: string, query: Readonly<Record<string, string>> = {}) =>
  `${withQuery(path, { ...query, [DONE]: "yes" })}#${OUTCOME}`

/** A form of a season's administration. */
export const seasonForm = <const Name extends string>(
  part: string,
  { send, ...rest }: Own<Name, Taken & { readonly of: OfSeason }>
): Form<Name> =>
  form({
    ...rest,
    outcome: OUTCOME,
    send: ({ client, params, query, typed }) => {
      const of = { game: params["game"]!, slug: params["slug"]! }
      return Effect.map(send({ client, of, typed }), (answer) => answered(answer, doneAt(seasonAdminAt(of.game, of.slug, part), query)))
    }
  })

/** A form of the platform's administration. */
export const platformForm = <const Name extends string>(part: string, { send, ...rest }: Own<Name, Taken>): Form<Name> =>
  form({
    ...rest,
    outcome: OUTCOME,
    send: ({ client, query, typed }) =>
      Effect.map(send({ client, typed }), (answer) => answered(answer, doneAt(platformAdminAt(part), query)))
  })

/** A whole number, or the text itself where it is none, which the API then refuses beside its field. */
export const numberOf = (text: string): number => (/^\s*-?\d{1,15}\s*$/.test(text) ? Number(text) : (text as unknown as number))

/** The instant in a field for a date and time, which is in UTC here; any other text is left as it is, for the API to refuse. */
export const instantOf = (text: string): string => (/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text)

/** An instant of the API as such a field has it. */
export const localOf = (instant: string | null): string => instant?.slice(0, 16) ?? ""

/** Names that were typed or pasted: one in each line, or with commas, semicolons or tabs between them, which no name has. */
export const listed = (text: string): ReadonlyArray<string> =>
  text.split(/[\n\t,;]/).flatMap((name) => (name.trim() === "" ? [] : [name.trim()]))

/** Keys whose text is empty are left out. */
export const given = <Value>(name: string, text: string, value: (text: string) => Value) =>
  text.trim() === "" ? {} : { [name]: value(text) }
