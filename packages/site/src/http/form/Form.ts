/**
 * A form of a personal page. Its fields are named like those of the API's payload, with dots where an object is within another, so that
 * a fault that the API finds is shown beside its field. The browser posts it to the page's own address; the hidden field `form` says
 * which of the page's forms it is.
 *
 *   posted ──▶ `send` calls the API ──▶ done: 303 to the page that it names
 *                               └──▶ refused: the same page, with what was typed, the faults and the API's status
 */
import type { Client } from "@agon/api/Client.ts"
import { fieldErrors, invalidRequest } from "@agon/api/fieldErrors.ts"
import type { FieldErrors } from "@agon/api/Problem.ts"
import { type Effect, Schema } from "effect"

/** The texts of the known fields, with `\n` between lines. */
export interface Typed<Name extends string = string> {
  /** The last of several; empty where the field was not sent. */
  readonly one: (name: Name) => string
  /** Of boxes that share a name. */
  readonly all: (name: Name) => ReadonlyArray<string>
}

export interface Posted<Name extends string = string> {
  /** Calls on the visitor's behalf, with the headers by which the service knows its own pages. */
  readonly client: Client
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  readonly typed: Typed<Name>
}

/** Where the browser goes next: a path of this origin. */
export interface Done {
  readonly to: string
  /** Whether the session has ended, so that the browser forgets it. */
  readonly signedOut?: boolean
}

/**
 * Content that the page shows at once beside the form as it was typed, instead of leading anywhere: a secret that is told once, a preview.
 */
export interface Shown {
  readonly shown: unknown
}

export interface Form<Name extends string = string> {
  readonly name: string
  readonly fields: ReadonlyArray<Name>
  /** A refusal of the API is shown; a value that the payload's schema does not take is refused before it is sent. */
  readonly send: (posted: Posted<Name>) => Effect.Effect<Done | Shown, unknown>
  /** The field beside which a refusal is shown that names none: by its code. */
  readonly codes?: Readonly<Record<string, Name>>
  /**
   * The id of the element that tells at the top of the page what became of the form; without one the form itself tells why it was refused.
   */
  readonly outcome?: string
  /** Each sending would add another thing, also if it says the same: the same words are known longer (sentOnce.ts). */
  readonly adds?: true
  /** Takes away what such a form has added, so that the same words may be sent again. */
  readonly takesBack?: true
}

export const form = <const Name extends string>(one: Form<Name>): Form<Name> => one

/** A form that the API refused, or that has something to show, as the page shows it again. */
export interface Tried {
  readonly form: string
  readonly typed: Typed
  readonly status: number
  readonly detail: string
  /** The sentence beside each field. */
  readonly faults: ReadonlyMap<string, string>
  readonly retry_after_s?: number
  /** The answer of `send` that is to be shown; only where nothing was refused. */
  readonly shown?: unknown
}

/** The parts of a refusal of the API that people are shown. */
interface Refusal {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly errors?: FieldErrors
  readonly retry_after_ms?: number
}

/** A form that has succeeded, as its page shows it again with the outcome. */
export const shownOf = ({ name }: Form, typed: Typed, { shown }: Shown): Tried => ({
  form: name,
  typed,
  status: 200,
  detail: "",
  faults: new Map(),
  shown
})

/** Faults that the API names by a format, as whoever fills a form in knows them. */
const FORM_WORDS: ReadonlyMap<string, string> = new Map([
  ["takes an RFC 3339 timestamp", "takes a day and a time, such as 2026-12-01T18:00"]
])

const SESSION_GONE = 401
const BROKEN = 500

const isRefusal = (error: unknown): error is Refusal =>
  typeof error === "object" && error !== null && "status" in error && "code" in error && "detail" in error

/** A refusal of the API with another detail; any other failure as it is. */
export const inWords = (error: unknown, words: (detail: string) => string): unknown => {
  if (!isRefusal(error)) return error
  const { code, detail, errors, retry_after_ms, status } = error
  return { status, code, detail: words(detail), errors, retry_after_ms }
}

/** Undefined for a failure that is no answer to the form: no session, the service away, or a fault of ours. */
export const triedOf = (form: Form, typed: Typed, error: unknown): Tried | undefined => {
  const refusal = Schema.isSchemaError(error) ? invalidRequest(fieldErrors(error.issue)) : error
  if (!isRefusal(refusal) || refusal.status === SESSION_GONE || refusal.status === BROKEN) return undefined
  const { code, detail, errors = [], retry_after_ms, status } = refusal
  const faults = new Map<string, string>()
  for (const { message, path } of errors) {
    const field = fieldAt(form, path)
    if (field !== undefined && !faults.has(field)) faults.set(field, FORM_WORDS.get(message) ?? message)
  }
  const field = form.codes?.[code]
  if (field !== undefined) faults.set(field, detail)
  // Where the refusal is another, its detail says more than its faults.
  const isTold = code === "invalid_request" && errors.length > 0 && errors.every(({ path }) => fieldAt(form, path) !== undefined)
  const tried = { form: form.name, typed, status, detail: isTold ? wrongFields(faults.size) : detail, faults }
  return retry_after_ms === undefined ? tried : { ...tried, retry_after_s: Math.ceil(retry_after_ms / 1_000) }
}

/** Where each fault stands beside its field, in place of a detail that says the same by the API's names of the fields. */
const wrongFields = (fields: number) => (fields === 1 ? "A field needs another value." : `${fields} fields need another value.`)

/** The field at the path, or the nearest above it: a list may be one field. */
const fieldAt = ({ fields }: Form, path: string): string | undefined => {
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) if (fields.includes(at)) return at
  return undefined
}
