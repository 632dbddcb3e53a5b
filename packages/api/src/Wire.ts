/** The scalars of the contract (docs/contract.md#types), as they travel. */
import { LADDERS } from "@agon/domain/season/Rules.ts"
import { Effect, Schema, SchemaGetter } from "effect"

// Only patterns with the flag u are shown in the OpenAPI document.
export const SLUG = /^[a-z0-9](-?[a-z0-9])*$/u
export const SLUG_LENGTH_MAX = 64
const uuid = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/u
export const SHA256 = /^sha256:[0-9a-f]{64}$/u

export const isUuid = (text: string) => uuid.test(text)

/** Keeps invalid slugs, which nothing is named by, out of statements. */
export const isSlug = (text: string) => text.length <= SLUG_LENGTH_MAX && SLUG.test(text)

/**
 * Games, seasons, boards, baselines and posts are named by slugs. The engine reads those of
 * files (engine/untrusted.ts).
 */
export const Slug = Schema.String.check(
  Schema.isPattern(SLUG, { expected: "small letters, digits and single hyphens, such as summer-cup" }),
  Schema.isMaxLength(SLUG_LENGTH_MAX)
)

/** An id in an answer; ids made by the service need no check on the way out. */
export const Id = Schema.String.annotate({ format: "uuid" })

/** An id in a path or body. A path with an invalid one is 404. */
export const Uuid = Schema.String.check(Schema.isPattern(uuid, { expected: "a UUID in lower case", format: "uuid" }))

export const Sha256 = Schema.String.check(Schema.isPattern(SHA256, { expected: "sha256: and 64 hexadecimal digits" }))

/** RFC 3339 in UTC with milliseconds, in answers. */
export const Instant = Schema.String.annotate({ format: "date-time" })

const instant = /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/** `Date` reads the 30th of February as the 2nd of March, and hour 24 as the next day: neither is a timestamp. */
const isInstant = (text: string) => {
  const day = instant.exec(text)?.[1]
  return day !== undefined && !Number.isNaN(Date.parse(text)) && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}

/** An RFC 3339 timestamp with any offset, converted to `Instant`'s form. */
export const AnyInstant = Schema.String.check(
  Schema.makeFilter(isInstant, {
    expected: "an RFC 3339 timestamp",
    toJsonSchema: () => ({ format: "date-time" })
  })
).pipe(
  Schema.decode({
    decode: SchemaGetter.transform((text: string) => new Date(text).toISOString()),
    encode: SchemaGetter.passthrough()
  })
)

/** The range of the database's integer columns: 32 bits. A larger number would fail the whole commit. */
const largestInt = 2 ** 31 - 1
export const Int32 = Schema.Int.check(Schema.isBetween({ minimum: -largestInt - 1, maximum: largestInt }))
export const Count32 = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: largestInt }))
export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
/** Lengths are in characters as people count them, as JSON Schema does too: an emoji is one, not two UTF-16 units. */
export const text = (min: number, max: number) =>
  Schema.String.check(
    Schema.makeFilter(isOfCharacters(min, max), {
      expected: `${min} to ${max} characters`,
      toJsonSchema: () => ({ minLength: min, maxLength: max })
    })
  )

export const isOfCharacters = (min: number, max: number) => (text: string) => {
  if (text.length < min || text.length > 2 * max) return false
  const characters = text.length > max || min > 1 ? [...text].length : text.length
  return characters >= min && characters <= max
}

/** The text that a search looks for. */
export const SearchTerm = text(0, 100)

/** Brings a number into the range instead of refusing it; for numbers that are only a caller's wish. */
export const clamped = (min: number, max: number) =>
  Schema.Finite.pipe(
    Schema.decode({
      decode: SchemaGetter.transform((n: number) => Math.min(max, Math.max(min, n))),
      encode: SchemaGetter.passthrough()
    })
  )

/** An optional query key with a default. */
export const withDefault = <S extends Schema.Constraint>(schema: S, value: S["Type"]) =>
  Schema.withDecodingDefaultTypeKey<S>(Effect.succeed(value))(schema)

/** `true` or `false` in a query. */
export const Flag = Schema.Literals(["true", "false"]).pipe(
  Schema.decodeTo(Schema.Boolean, {
    decode: SchemaGetter.transform((word: "true" | "false") => word === "true"),
    encode: SchemaGetter.transform((flag: boolean) => (flag ? ("true" as const) : ("false" as const)))
  })
)

export const ladders = LADDERS
export const Ladder = Schema.Literals(ladders).annotate({ identifier: "Ladder" })
export type Ladder = typeof Ladder.Type

/** An object keyed by ladder that need not have all ladders. */
export const byLadder = <S extends Schema.Constraint>(value: S) => Schema.Record(Schema.String, value)

/** A presigned upload: the headers, the URL, and the largest size. */
export const Upload = Schema.Struct({
  method: Schema.Literal("PUT"),
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  max_bytes: Count
}).annotate({ identifier: "Upload" })
export type Upload = typeof Upload.Type
