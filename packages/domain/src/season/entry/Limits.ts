/** The limits that a season sets for a model: its size, which decides its class, its memory, and the time of an inference. */
import type { RejectReason } from "../Reasons.ts"
import type { Settings, WeightClass } from "../Rules.ts"
import type { Version } from "../Version.ts"
import { classOf, memoryBytes, overOn } from "./WeightClass.ts"

interface Season {
  readonly settings: Pick<Settings, "rules" | "weight_classes">
  readonly boards: ReadonlyMap<string, { readonly cols: number; readonly rows: number }>
}

export type LimitCheck =
  | { readonly within: true; readonly class: WeightClass["class"]; readonly memory_bytes: number } // on the largest board
  | { readonly within: false; readonly fault: readonly [RejectReason, string] }

/** The check of a version that a runner has measured. */
export const judgedBy = ({ boards, settings: { rules, weight_classes } }: Season, version: Version): LimitCheck => {
  const size_bytes = version.weights_bytes! + version.manifest_bytes!
  const found = classOf(weight_classes, size_bytes)
  if (found === undefined)
    return over("too_large", `Weights and manifest are ${size_bytes} bytes; the largest class holds ${weight_classes.at(-1)!.max_bytes}.`)
  const memory = { flat: version.memory_flat!, cell: version.memory_cell! }
  const cells = [...boards.values()].map(({ cols, rows }) => rows * cols)
  const large = overOn(memory, found, cells)[0]
  if (large !== undefined) {
    return over(
      "memory_over_class",
      `Its memory is ${memoryBytes(memory, large)} bytes on a board of ${large} cells, more than class ${found.class} allows.`
    )
  }
  if (version.infer_us! > rules.infer_us_max)
    return over("too_slow", `One inference took ${version.infer_us} us; the season allows ${rules.infer_us_max} us.`)
  return { within: true, class: found.class, memory_bytes: memoryBytes(memory, Math.max(0, ...cells)) }
}

const over = (reason: RejectReason, detail: string): LimitCheck => ({ within: false, fault: [reason, detail] })
