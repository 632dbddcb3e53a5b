/**
 * The part of an examination that reads the files and runs nothing. The checks are in the order in
 * which their reasons are reported.
 */

import { gameOf } from "@agon/engine/registry.ts"
import { sha256Hex } from "@agon/engine/sha256.ts"
import { decodeModel, type ModelProto } from "@agon/onnx/Model.ts"
import { type Manifest, readManifest } from "../Manifest.ts"
import { type ExamineRequest, type Failed, quote, type Rejected, reject, type WeightClass } from "../Verdict.ts"
import type { Sizes } from "../worker/channel.ts"
import { checkBounds } from "./bounds.ts"
import { checkElementTypes } from "./elementTypes.ts"
import { checkExtents } from "./extents.ts"
import { checkDomains, checkOperators } from "./operators.ts"
import { checkPairs } from "./pairs.ts"
import { checkSignature } from "./signature.ts"
import { checkExternalData, checkTensors, countParameters } from "./tensors.ts"
import { scanWire } from "./wire.ts"
import { checkWrapping } from "./wrapping.ts"

export interface Plan {
  readonly param_count: number
  readonly manifest: Manifest
  /** The distinct board sizes, largest first. */
  readonly boards: ReadonlyArray<Sizes>
}
export type StaticCheck = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly verdict: Rejected | Failed }

const checkHash = (what: string, bytes: Uint8Array, hash: string | undefined): Rejected | null =>
  hash === undefined || sha256Hex(bytes) === hash
    ? null
    : reject("hash_mismatch", `The sha256 of the ${what} is not the submitted one; hash these files and submit them again.`)

const checkSize = ({ weights, manifest, weight_classes }: ExamineRequest): Rejected | null => {
  const bytes = weights.length + manifest.length
  const largest = weight_classes.reduce((most, one) => (one.max_bytes > most.max_bytes ? one : most))
  const { class: name, max_bytes } = largest
  return bytes <= max_bytes ? null : reject("too_large", `Weights and manifest are ${bytes} bytes; class ${name} holds ${max_bytes}.`)
}

/** The smallest class that holds the files; the last after `checkSize` has passed. */
export const classOf = (size_bytes: number, classes: ReadonlyArray<WeightClass>): WeightClass =>
  [...classes].sort((a, b) => a.max_bytes - b.max_bytes).find((one) => one.max_bytes >= size_bytes) ?? classes[classes.length - 1]!

const checkManifest = (request: ExamineRequest): { readonly manifest: Manifest } | Rejected => {
  const check = readManifest(request.manifest)
  if (!check.ok) {
    const faults = check.errors.map(({ path, message }) => (path === "" ? `the file ${message}` : `${path} ${message}`))
    return reject("manifest_invalid", `The manifest is invalid: ${faults.join("; ")}.`)
  }
  return check.manifest.game === request.game
    ? check
    : reject("manifest_invalid", `The manifest is for the game ${quote(check.manifest.game)}, the season plays ${quote(request.game)}.`)
}

const sizesOf = (request: ExamineRequest, { memory }: Manifest): ReadonlyArray<Sizes> | Failed => {
  const game = gameOf(request.game)
  if (game === undefined) return { verdict: "failed", detail: `This runner has no engine for ${quote(request.game)}.` }
  const sizes = new Map<string, Sizes>()
  // For a season without boards the game's own are used.
  for (const board of request.boards.length > 0 ? request.boards : game.boards) {
    const { planes, rows, cols, actions } = game.engine.spec(board)
    sizes.set(`${rows}x${cols}`, { planes, rows, cols, actions, ...memory })
  }
  return [...sizes.values()].sort((a, b) => b.rows * b.cols - a.rows * a.cols)
}

const readGraph = (weights: Uint8Array): ModelProto | Rejected => {
  // ONNX Runtime reads any file with this mark as its own format.
  if (Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength).toString("latin1", 4, 8) === "ORTM")
    return reject("weights_unreadable", "The weights are in ONNX Runtime's own format; submit the ONNX file.")
  const scan = scanWire(weights)
  if (!scan.ok) return reject("weights_unreadable", scan.message)
  try {
    const model = decodeModel(weights)
    return model.graph === undefined ? reject("weights_unreadable", "The weights file holds no graph.") : model
  } catch {
    return reject("weights_unreadable", "The weights file is not a readable ONNX model.")
  }
}

const checkMemory = (request: ExamineRequest, { memory }: Manifest, boards: ReadonlyArray<Sizes>): Rejected | null => {
  const own = classOf(request.weights.length + request.manifest.length, request.weight_classes)
  for (const { rows, cols } of boards) {
    const cells = rows * cols
    const wanted = 4 * (memory.flat + memory.cell * cells)
    const allowed = own.memory_flat_bytes + own.memory_cell_bytes * cells
    if (wanted > allowed)
      return reject(
        "memory_over_class",
        `The manifest declares ${wanted} bytes of memory on a board of ${rows} x ${cols}; class ${own.class} allows ${allowed}.`
      )
  }
  return null
}

const refuse = (verdict: Rejected | Failed): StaticCheck => ({ ok: false, verdict })

export const examineFiles = (request: ExamineRequest): StaticCheck => {
  const early =
    checkHash("weights", request.weights, request.weights_hash) ??
    checkHash("manifest", request.manifest, request.manifest_hash) ??
    checkSize(request)
  if (early !== null) return refuse(early)
  const read = checkManifest(request)
  if ("verdict" in read) return refuse(read)
  const boards = sizesOf(request, read.manifest)
  if ("verdict" in boards) return refuse(boards)
  const model = readGraph(request.weights)
  if ("verdict" in model) return refuse(model)
  const graph = model.graph!
  const late =
    checkExternalData(model) ??
    checkDomains(model, read.manifest.opset) ??
    checkOperators(graph) ??
    checkElementTypes(graph) ??
    checkTensors(graph) ??
    checkExtents(graph) ??
    checkWrapping(graph) ??
    checkPairs(graph) ??
    checkBounds(graph) ??
    checkSignature(graph, boards) ??
    checkMemory(request, read.manifest, boards)
  if (late !== null) return refuse(late)
  return { ok: true, plan: { param_count: countParameters(graph), manifest: read.manifest, boards } }
}
