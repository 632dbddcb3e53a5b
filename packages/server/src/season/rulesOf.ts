/** The rules document and weight classes that an administrator sends, read with every fault named (DECISIONS section 5). */
import type { FieldErrors } from "@agon/api/Problem.ts"
import { ruleBounds } from "@agon/api/season/creation.ts"
import { DEFAULT_RULES, LADDERS, type Rules, type WeightClass } from "@agon/domain/season/Rules.ts"

type Read<A> = { readonly value: A } | { readonly errors: FieldErrors; readonly status: 400 | 422 }

/** Defaults filled in. A rule of another type is 400; an unknown one, or one out of bounds, is 422. */
export const rulesOf = (body: Readonly<Record<string, unknown>>, base: Rules = DEFAULT_RULES): Read<Rules> => {
  const wrongType: Array<FieldErrors[number]> = []
  const invalid: Array<FieldErrors[number]> = []
  const flat = flattened(body, wrongType)
  for (const [path, value] of flat) {
    const bounds = ruleBounds[path as keyof typeof ruleBounds] as readonly [number, number] | undefined
    if (bounds === undefined) invalid.push({ path: `rules.${path}`, message: "There is no such rule." })
    else if (typeof value !== "number" || !Number.isInteger(value))
      wrongType.push({ path: `rules.${path}`, message: "A rule is a whole number." })
    else if (value < bounds[0] || value > bounds[1])
      invalid.push({ path: `rules.${path}`, message: `It takes ${bounds[0]} to ${bounds[1]}.` })
  }
  if (wrongType.length > 0) return { errors: wrongType, status: 400 }
  if (invalid.length > 0) return { errors: invalid, status: 422 }
  const { match = {}, trial = {}, ...plain } = body as { match?: object; trial?: object }
  return { value: { ...base, ...plain, match: { ...base.match, ...match }, trial: { ...base.trial, ...trial } } }
}

const NESTED: ReadonlySet<string> = new Set(["match", "trial"])

const flattened = (
  body: Readonly<Record<string, unknown>>,
  wrongType: Array<FieldErrors[number]>
): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(body).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
    if (!NESTED.has(key)) return [[key, value]]
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return Object.entries(value).map(([inner, one]) => [`${key}.${inner}`, one] as const)
    }
    wrongType.push({ path: `rules.${key}`, message: "It takes an object." })
    return []
  })

/** All six classes in their order, growing. */
export const faultsOfClasses = (classes: ReadonlyArray<WeightClass>): FieldErrors => {
  if (LADDERS.some((ladder, i) => classes[i]?.class !== ladder) || classes.length !== LADDERS.length) {
    return [{ path: "weight_classes", message: `It takes the classes ${LADDERS.join(", ")}, in this order.` }]
  }
  const memory = classes.flatMap(({ memory_cell_bytes, memory_flat_bytes }, i) => [
    ...(memory_flat_bytes <= BYTES_MAX
      ? []
      : [{ path: `weight_classes.${i}.memory_flat_bytes`, message: `It takes at most ${BYTES_MAX}.` }]),
    ...(memory_cell_bytes <= CELL_BYTES_MAX
      ? []
      : [{ path: `weight_classes.${i}.memory_cell_bytes`, message: `It takes at most ${CELL_BYTES_MAX}.` }])
  ])
  const sizes = classes.flatMap(({ max_bytes }, i) =>
    max_bytes > 0 && (i === 0 || max_bytes > classes[i - 1]!.max_bytes) && max_bytes <= BYTES_MAX
      ? []
      : [{ path: `weight_classes.${i}.max_bytes`, message: `It takes more than the class before, and at most ${BYTES_MAX}.` }]
  )
  return [...sizes, ...memory]
}

/** No model of this service is larger. */
const BYTES_MAX = 1024 ** 3
/** With a thousand cells still no more than the largest figure that is stored. */
const CELL_BYTES_MAX = 1024 ** 2
