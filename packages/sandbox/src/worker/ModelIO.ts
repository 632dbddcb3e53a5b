/** A loaded model with the buffers of its inputs and outputs for one board size. */
import { type Exchange, type Sizes, STATUS, type Status } from "./channel.ts"
import { Feed, OrtFailure, type Port, type Session, ShapeMismatch } from "./Runtime.ts"

const portsOf = ({ planes, rows, cols, actions, flat, cell }: Sizes) => {
  const inputs: Array<Port> = [{ name: "obs", dims: [1, planes, rows, cols] }]
  const outputs: Array<Port> = [{ name: "logits", dims: [1, actions] }]
  const add = (name: string, dims: ReadonlyArray<number>) => {
    inputs.push({ name, dims })
    outputs.push({ name: `${name}_out`, dims })
  }
  if (flat > 0) add("memory_flat", [1, flat])
  if (cell > 0) add("memory_cell", [1, cell, rows, cols])
  return { inputs, outputs }
}

/** The first number that is not finite, or undefined. */
const notFinite = (values: Float32Array): number | undefined => {
  for (let i = 0; i < values.length; i++) if (!Number.isFinite(values[i])) return values[i]!
  return undefined
}

export class ModelIO {
  /** The last turn's time inside the runtime, without our own work around it. */
  infer_ms = 0
  /** Which output of the last turn was not finite, and what it held: `NaN in logits`. */
  found = ""
  readonly #feed: Feed
  readonly #outputs: ReadonlyArray<Port>
  readonly #sources: ReadonlyArray<Float32Array>
  readonly #targets: ReadonlyArray<Float32Array>

  constructor(session: Session, sizes: Sizes, { observation, logits, memoryFlat, memoryCell }: Exchange) {
    const memories = [memoryFlat, memoryCell].filter((memory) => memory.length > 0)
    const { inputs, outputs } = portsOf(sizes)
    this.#outputs = outputs
    this.#feed = new Feed(session, inputs, outputs)
    this.#sources = [observation, ...memories]
    this.#targets = [logits, ...memories]
  }

  /**
   * Runs one turn. If an output is not finite, none is copied and memory keeps its values.
   * Throws the runtime's errors.
   */
  turn(): Status {
    const { inputs, outputs } = this.#feed
    for (let i = 0; i < inputs.length; i++) inputs[i]!.set(this.#sources[i]!)
    this.infer_ms = this.#feed.run()
    for (let i = 0; i < outputs.length; i++) {
      const number = notFinite(outputs[i]!)
      if (number === undefined) continue
      this.found = `${number} in ${this.#outputs[i]!.name}`
      return STATUS.non_finite
    }
    for (let i = 0; i < outputs.length; i++) this.#targets[i]!.set(outputs[i]!)
    return STATUS.answered
  }
}

/** The status that an error means. */
export const statusOf = (error: unknown): readonly [Status, detail: string] => {
  if (error instanceof ShapeMismatch) return [STATUS.shape, error.message]
  if (error instanceof OrtFailure) return [error.exhausted ? STATUS.exhausted : STATUS.failed, error.message]
  return [error instanceof RangeError ? STATUS.exhausted : STATUS.failed, String(error)]
}
