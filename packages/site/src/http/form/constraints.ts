/**
 * The bounds of a field, as attributes by which the browser checks it while it is typed. They are read from the schema of the API's
 * payload, which checks it again, so that the two cannot differ.
 */
import { Schema } from "effect"
import { type Html, html } from "../../html/Html.ts"

interface Part {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly anyOf?: ReadonlyArray<Part>
  readonly properties?: Readonly<Record<string, Part>>
  readonly items?: Part
  readonly required?: ReadonlyArray<string>
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** The attributes of the field at a path such as `weight_classes.0.max_bytes`. */
export type Constraints = (path: string) => Html

export const constraintsOf = (payload: Schema.Constraint): Constraints => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(payload) as { schema: Part; definitions: Readonly<Record<string, Part>> }
  const resolved = (part: Part | undefined): Part => {
    if (part?.$ref !== undefined) return resolved(definitions[part.$ref.split("/").at(-1)!])
    return part?.anyOf === undefined ? (part ?? {}) : resolved(part.anyOf.find(({ type }) => type !== "null"))
  }
  return (path) => {
    let at = resolved(schema)
    let required = true
    for (const name of path.split(".")) {
      required &&= at.items !== undefined || at.required?.includes(name) === true
      at = resolved(at.items ?? at.properties?.[name])
    }
    return html`${attributesOf(at)}${required && html` required`}`
  }
}

/** A field that takes a whole number from `least` to `most`. */
export const wholeNumber = (least: number, most: number): Html =>
  html`type="number" step="1" min="${least}"${most < Number.MAX_SAFE_INTEGER && html` max="${most}"`}`

const attributesOf = ({ format, maximum = Number.MAX_SAFE_INTEGER, minimum = 0, type, ...text }: Part): Html => {
  if (type === "integer") return wholeNumber(minimum, maximum)
  if (format === "date-time") return html`type="datetime-local"`
  const pattern = patternOf(text)
  return pattern === undefined ? html`` : html`pattern="${pattern}"`
}

/**
 * Lengths count characters, as the API does: `maxlength` counts halves of emoji. A pattern that browsers cannot read is left to the API.
 */
const patternOf = ({ maxLength, minLength = 0, pattern }: Part): string | undefined => {
  if (maxLength === undefined && pattern === undefined) return undefined
  const inner =
    pattern === undefined ? "" : `(?=${pattern.startsWith("^") && pattern.endsWith("$") ? pattern.slice(1) : `.*(?:${pattern})`})`
  const whole = `${inner}.{${minLength},${maxLength ?? ""}}`
  try {
    new RegExp(`^(?:${whole})$`, "v")
    return whole
  } catch {
    return undefined
  }
}
