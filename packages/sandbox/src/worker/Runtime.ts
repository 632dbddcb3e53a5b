/**
 * ONNX Runtime's WebAssembly build without its JavaScript front end: one instance is one memory of a bounded size, and a
 * session is driven through the C functions that the front end would call. Going direct buys three things: the module is
 * compiled once per process and only instantiated per seat; the memory's maximum is ours to set; and a move costs no
 * tensor objects, names or promises. It ties us to the exact version pinned in package.json; `Runtime.test.ts` guards it.
 *
 * What the module may call on the host is what its glue imports: clocks, memory growth, console lines and pthreads (of
 * which a session of one thread starts none). It has no file system, no socket and no entropy.
 */
import { createRequire } from "node:module"
import { pathToFileURL } from "node:url"

const require = createRequire(import.meta.url)
export const wasmPath: string = require.resolve("onnxruntime-web/ort-wasm-simd-threaded.wasm")
export const gluePath: string = require.resolve("onnxruntime-web/ort-wasm-simd-threaded.mjs")

const PAGE_BYTES = 65_536
/** What the module itself asks for before any model. */
const INITIAL_BYTES = 256 * PAGE_BYTES
const LARGEST_BYTES = 65_536 * PAGE_BYTES
const FLOAT = 1
const LOCATION_CPU = 1
const LOG_FATAL_ONLY = 4
/** How far the runtime rewrites a graph while it loads. All of it in play; the others are for the tests of determinism. */
export const OPTIMIZE = { nothing: 0, basic: 1, extended: 2, all: 99 } as const

/** The part of the emscripten module that we call. Pointers are plain numbers; strings are zero-terminated UTF-8. */
interface OrtModule {
  readonly HEAPU8: Uint8Array
  readonly _malloc: (bytes: number) => number
  readonly _free: (pointer: number) => void
  readonly stackSave: () => number
  readonly stackRestore: (pointer: number) => void
  readonly stackAlloc: (bytes: number) => number
  readonly setValue: (pointer: number, value: number, type: string) => void
  readonly getValue: (pointer: number, type: string) => number
  readonly UTF8ToString: (pointer: number) => string
  readonly stringToUTF8: (text: string, pointer: number, capacity: number) => void
  readonly lengthBytesUTF8: (text: string) => number
  readonly _OrtInit: (threads: number, logging: number) => number
  readonly _OrtGetLastError: (code: number, message: number) => number
  readonly _OrtCreateSessionOptions: (...options: ReadonlyArray<number | boolean>) => number
  readonly _OrtAddSessionConfigEntry: (options: number, key: number, value: number) => number
  readonly _OrtReleaseSessionOptions: (options: number) => number
  readonly _OrtCreateSession: (data: number, bytes: number, options: number) => number
  readonly _OrtCreateTensor: (type: number, data: number, bytes: number, dims: number, rank: number, location: number) => number
  readonly _OrtReleaseTensor: (tensor: number) => number
  readonly _OrtGetTensorData: (tensor: number, type: number, data: number, dims: number, rank: number) => number
  readonly _OrtFree: (pointer: number) => number
  readonly _OrtRun: (
    session: number,
    inputNames: number,
    inputs: number,
    inputCount: number,
    outputNames: number,
    outputCount: number,
    outputs: number,
    options: number
  ) => number
}

/** The runtime counts bytes in 32 bits; a tensor whose bytes do not fit there is as impossible as one that does not fit the heap. */
const EXHAUSTED =
  /bad_alloc|bad allocation|failed to allocate|out of memory|memory access out of bounds|Aborted\(OOM|SafeIntOnOverflow|Tensor shape is too large|would require more than/i

/** ONNX Runtime said no: the file does not load, or a run failed. `exhausted` where memory was the reason. */
export class OrtFailure extends Error {
  readonly exhausted: boolean
  constructor(message: string) {
    super(message)
    this.exhausted = EXHAUSTED.test(message)
  }
}

export interface Port {
  readonly name: string
  readonly dims: ReadonlyArray<number>
}

/** An output that came with another rank, size or type than the port names. */
export class ShapeMismatch extends Error {}

/** The platform's own, before any instance has put a bounded one in its place. */
const Memory = WebAssembly.Memory

const bounded = (cap_bytes: number) => {
  const maximum = Math.ceil(Math.min(Math.max(cap_bytes, INITIAL_BYTES), LARGEST_BYTES) / PAGE_BYTES)
  return class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super({ ...descriptor, maximum: Math.min(descriptor.maximum ?? maximum, maximum) })
    }
  }
}

/**
 * One instance of the runtime, whose whole heap (weights, activations, the runtime's own data) stays within `cap_bytes`.
 * Changes `WebAssembly.Memory` for the calling thread, so a thread makes its instances one after another.
 */
export const instantiate = async (module: WebAssembly.Module, cap_bytes: number): Promise<OrtModule> => {
  Object.assign(WebAssembly, { Memory: bounded(cap_bytes) })
  const glue = (await import(pathToFileURL(gluePath).href)) as { default: (options: unknown) => Promise<OrtModule> }
  const ort = await glue.default({
    numThreads: 1,
    instantiateWasm: (imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void) => {
      done(new WebAssembly.Instance(module, imports), module)
      return {}
    }
  })
  if (ort._OrtInit(1, LOG_FATAL_ONLY) !== 0) throw lastError(ort)
  return ort
}

const lastError = (ort: OrtModule): OrtFailure => {
  const stack = ort.stackSave()
  const out = ort.stackAlloc(8)
  ort._OrtGetLastError(out, out + 4)
  const message = ort.getValue(out + 4, "*")
  const text = message === 0 ? "" : ort.UTF8ToString(message)
  ort.stackRestore(stack)
  return new OrtFailure(text)
}

const allocate = (ort: OrtModule, bytes: number): number => {
  const pointer = ort._malloc(Math.max(bytes, 1))
  if (pointer === 0) throw new OrtFailure(`failed to allocate ${bytes} bytes`)
  return pointer
}

const allocateText = (ort: OrtModule, text: string): number => {
  const bytes = ort.lengthBytesUTF8(text) + 1
  const pointer = allocate(ort, bytes)
  ort.stringToUTF8(text, pointer, bytes)
  return pointer
}

const countOf = (dims: ReadonlyArray<number>) => dims.reduce((product, dim) => product * dim, 1)

const openSession = (ort: OrtModule, weights: Uint8Array, optimize: number): number => {
  const data = allocate(ort, weights.length)
  ort.HEAPU8.set(weights, data)
  const options = ort._OrtCreateSessionOptions(optimize, true, true, 0, false, 0, 0, LOG_FATAL_ONLY, 0, 0)
  if (options === 0) throw lastError(ort)
  // Without this entry a file that carries the mark of ONNX Runtime's own format would be read as that.
  const key = allocateText(ort, "session.load_model_format")
  const value = allocateText(ort, "ONNX")
  if (ort._OrtAddSessionConfigEntry(options, key, value) !== 0) throw lastError(ort)
  const session = ort._OrtCreateSession(data, weights.length, options)
  if (session === 0) throw lastError(ort)
  for (const pointer of [data, key, value]) ort._free(pointer)
  ort._OrtReleaseSessionOptions(options)
  return session
}

/** A loaded model. Each shape it is fed with has a `Feed` of its own. */
export class Session {
  readonly ort: OrtModule
  readonly handle: number
  constructor(ort: OrtModule, weights: Uint8Array, optimize: number = OPTIMIZE.all) {
    this.ort = ort
    this.handle = openSession(ort, weights, optimize)
  }
}

/** The inputs and outputs of one board, laid out in the runtime's memory once, for good. */
export class Feed {
  readonly #ort: OrtModule
  readonly #session: number
  readonly #inputs: ReadonlyArray<{ readonly port: Port; readonly data: number }>
  readonly #outputs: ReadonlyArray<Port>
  readonly #inputNames: number
  readonly #inputTensors: number
  readonly #outputNames: number
  readonly #outputTensors: number
  readonly #scratch: number

  constructor({ ort, handle }: Session, inputs: ReadonlyArray<Port>, outputs: ReadonlyArray<Port>) {
    this.#ort = ort
    this.#session = handle
    this.#inputNames = allocate(ort, 4 * inputs.length)
    this.#inputTensors = allocate(ort, 4 * inputs.length)
    this.#outputNames = allocate(ort, 4 * outputs.length)
    this.#outputTensors = allocate(ort, 4 * outputs.length)
    this.#scratch = allocate(ort, 16)
    this.#outputs = outputs
    this.#inputs = inputs.map((port, index) => {
      const bytes = 4 * countOf(port.dims)
      const data = allocate(ort, bytes)
      ort.HEAPU8.fill(0, data, data + bytes)
      const dims = allocate(ort, 4 * port.dims.length)
      port.dims.forEach((dim, axis) => {
        ort.setValue(dims + 4 * axis, dim, "i32")
      })
      const tensor = ort._OrtCreateTensor(FLOAT, data, bytes, dims, port.dims.length, LOCATION_CPU)
      if (tensor === 0) throw lastError(ort)
      ort.setValue(this.#inputNames + 4 * index, allocateText(ort, port.name), "*")
      ort.setValue(this.#inputTensors + 4 * index, tensor, "*")
      return { port, data }
    })
    outputs.forEach((port, index) => {
      ort.setValue(this.#outputNames + 4 * index, allocateText(ort, port.name), "*")
    })
  }

  /** The runtime's memory behind an input; valid until the next run, which may grow (and so move) the heap. */
  input(index: number): Float32Array {
    const { data, port } = this.#inputs[index]!
    return new Float32Array(this.#ort.HEAPU8.buffer, data, countOf(port.dims))
  }

  /** Runs once. `read` is given each output in turn and must copy what it wants to keep. */
  run(read: (index: number, values: Float32Array) => void): void {
    const ort = this.#ort
    for (let i = 0; i < this.#outputs.length; i++) ort.setValue(this.#outputTensors + 4 * i, 0, "*")
    const code = ort._OrtRun(
      this.#session,
      this.#inputNames,
      this.#inputTensors,
      this.#inputs.length,
      this.#outputNames,
      this.#outputs.length,
      this.#outputTensors,
      0
    )
    if (code !== 0) throw lastError(ort)
    let mismatch: ShapeMismatch | null = null
    for (let i = 0; i < this.#outputs.length; i++) {
      const tensor = ort.getValue(this.#outputTensors + 4 * i, "*")
      const values = this.#values(tensor, this.#outputs[i]!)
      if (values instanceof ShapeMismatch) mismatch ??= values
      else if (mismatch === null) read(i, values)
      ort._OrtReleaseTensor(tensor)
    }
    if (mismatch !== null) throw mismatch
  }

  #values(tensor: number, port: Port): Float32Array | ShapeMismatch {
    const ort = this.#ort
    const at = this.#scratch
    if (ort._OrtGetTensorData(tensor, at, at + 4, at + 8, at + 12) !== 0) return new ShapeMismatch(`output ${port.name} is no tensor`)
    const type = ort.getValue(at, "i32")
    const data = ort.getValue(at + 4, "*")
    const dims = ort.getValue(at + 8, "*")
    const rank = ort.getValue(at + 12, "i32")
    const got: Array<number> = []
    for (let axis = 0; axis < Math.min(rank, 8); axis++) got.push(ort.getValue(dims + 4 * axis, "i32"))
    ort._OrtFree(dims)
    if (type !== FLOAT) return new ShapeMismatch(`output ${port.name} is not float32`)
    if (rank !== port.dims.length || got.some((dim, axis) => dim !== port.dims[axis]))
      return new ShapeMismatch(`output ${port.name} has shape [${got.join(", ")}], not [${port.dims.join(", ")}]`)
    return new Float32Array(ort.HEAPU8.buffer, data >>> 0, countOf(port.dims))
  }
}
