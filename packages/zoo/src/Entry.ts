/** One model of the zoo: its name, its rank, and a function that builds its two files. */
import { type Graph, OPSET } from "./graph/Graph.ts"

export interface ZooEntry {
  /** A slug; also the name in the manifest. */
  readonly name: string
  readonly game: string
  readonly description: string
  /** Rank within its game, 0 the weakest. */
  readonly strength: number
  /** The same bytes on every call and every machine. */
  readonly build: () => ZooModel
}

export interface ZooModel {
  readonly weights: Uint8Array<ArrayBuffer>
  readonly manifest: Uint8Array<ArrayBuffer>
}

/** Recurrent memory in float32 values: for the whole board, and for each of its cells. */
export interface Memory {
  readonly flat: number
  readonly cell: number
}

export interface Design {
  readonly name: string
  readonly description: string
  readonly memory?: Memory
  readonly graph: () => Graph
}

/** Canonical JSON: keys sorted, no white space. */
const manifestOf = (game: string, { name, description, memory = { flat: 0, cell: 0 } }: Design): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(
    JSON.stringify({
      description,
      format: "agon-manifest/1",
      game,
      memory: { cell: memory.cell, flat: memory.flat },
      name,
      opset: OPSET,
      runtime: "onnx"
    })
  )

/** The designs of one game, weakest first. */
export const entriesOf = (game: string, designs: ReadonlyArray<Design>): ReadonlyArray<ZooEntry> =>
  designs.map((design, strength) => ({
    name: design.name,
    game,
    description: design.description,
    strength,
    build: () => ({ weights: design.graph().build(), manifest: manifestOf(game, design) })
  }))
