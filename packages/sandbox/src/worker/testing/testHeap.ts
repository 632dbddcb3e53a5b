/**
 * An instance whose free memory is filled anew before each small model, for tests that look for
 * what kernels leave unwritten.
 */

import { poison } from "../poison.ts"
import { instantiate, OPTIMIZE, type OrtModule, Session } from "../Runtime.ts"

const CAP_BYTES = 256 * 1_048_576
const BYTES: Readonly<Record<number, number>> = { 1: 4, 2: 1, 3: 1, 4: 2, 5: 2, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8 }

export class Heap {
  readonly #ort: OrtModule
  readonly #seed: number
  private constructor(ort: OrtModule, seed: number) {
    this.#ort = ort
    this.#seed = seed
  }
  static async make(module: WebAssembly.Module, seed: number): Promise<Heap> {
    return new Heap(await instantiate(module, CAP_BYTES), seed)
  }

  /**
   * The outputs of a model without inputs, each as its shape and its bytes; null where it
   * does not load or its run fails.
   */
  outputs(weights: Uint8Array, names: ReadonlyArray<string>): ReadonlyArray<string> | null {
    const ort = this.#ort
    poison(ort, this.#seed)
    let session: Session
    try {
      session = new Session(ort, weights, { optimize: OPTIMIZE.nothing })
    } catch {
      return null
    }
    const stack = ort.stackSave()
    try {
      const list = ort.stackAlloc(4 * names.length)
      const tensors = ort.stackAlloc(4 * names.length)
      for (const [index, name] of names.entries()) {
        const bytes = ort.lengthBytesUTF8(name) + 1
        const pointer = ort.stackAlloc(bytes)
        ort.stringToUTF8(name, pointer, bytes)
        ort.setValue(list + 4 * index, pointer, "*")
        ort.setValue(tensors + 4 * index, 0, "*")
      }
      if (ort._OrtRun(session.handle, 0, 0, 0, list, names.length, tensors, 0) !== 0) return null
      return names.map((_, index) => this.#take(ort.getValue(tensors + 4 * index, "*")))
    } finally {
      ort.stackRestore(stack)
      ort._OrtReleaseSession(session.handle)
    }
  }

  #take(tensor: number): string {
    const ort = this.#ort
    const at = ort.stackAlloc(16)
    ort._OrtGetTensorData(tensor, at, at + 4, at + 8, at + 12)
    const [type, data, dims, rank] = [0, 4, 8, 12].map((offset) => ort.getValue(at + offset, "i32"))
    const shape = Array.from({ length: rank! }, (_, axis) => ort.getValue(dims! + 4 * axis, "i32"))
    const bytes = shape.reduce((product, dim) => product * dim, 1) * (BYTES[type!] ?? 0)
    const hex = Buffer.from(ort.HEAPU8.slice(data! >>> 0, (data! >>> 0) + bytes)).toString("hex")
    ort._OrtFree(dims!)
    ort._OrtReleaseTensor(tensor)
    return `${type}[${shape}] ${hex}`
  }
}
