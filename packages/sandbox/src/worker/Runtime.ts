/**
 * ONNX Runtime's WebAssembly build without its JavaScript front end: one instance is one memory of a bounded
 * size, and a session is driven through the C functions that the front end would call. This has three
 * advantages: the module is compiled once per process and only instantiated per seat; the memory's maximum is
 * ours to set; and a move costs no tensor objects, names or promises. It ties us to the exact version pinned
 * in package.json; `Runtime.test.ts` guards it.
 *
 * The module can call only the host functions that its glue imports: clocks, memory growth, console lines and
 * pthreads (of which a session of one thread starts none). It has no file system, no socket and no entropy.
 */
import { pathToFileURL } from "node:url"
import { gluePath } from "../places.ts"

const PAGE_BYTES = 65_536
/** The module's own initial memory, before any model. */
const INITIAL_BYTES = 256 * PAGE_BYTES
const LARGEST_BYTES = 65_536 * PAGE_BYTES
const FLOAT = 1
const LOCATION_CPU = 1
const LOG_FATAL_ONLY = 4
/**
 * How far the runtime optimises a graph while it loads. Matches use `all`; the others are
 * for the tests of determinism.
 */
export const OPTIMIZE = { nothing: 0, basic: 1, extended: 2, all: 99 } as const

/** The part of the emscripten module that we call. Pointers are plain numbers; strings are zero-terminated UTF-8. */
export interface OrtModule {
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
  readonly _OrtReleaseSession: (session: number) => number
  readonly _OrtGetTensorData: (tensor: number, type: number, data: number, dims: number, rank: number) => number
  readonly _OrtReleaseTensor: (tensor: number) => number
  readonly _OrtFree: (pointer: number) => void
  readonly _OrtCreateTensor: (type: number, data: number, bytes: number, dims: number, rank: number, location: number) => number
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

/**
 * The runtime counts bytes in 32 bits; a tensor whose bytes do not fit there is as impossible as
 * one that does not fit the heap.
 */
const EXHAUSTED =
  /bad_alloc|bad allocation|failed to allocate|out of memory|memory access out of bounds|Aborted\(OOM|SafeIntOnOverflow|Tensor shape is too large|would require more than/i

/** ONNX Runtime failed: the file does not load, or a run failed. `exhausted` if memory was the reason. */
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

/** The runtime's messages for an output of the wrong size: by the shapes in the graph, or after computing it. */
const MISSHAPEN =
  /^(?:Got invalid dimensions for|Invalid rank for|Unexpected) output|OrtValue provided for output '.*? has shape \{(.*?)\} but .*? is \{(.*?)\}/
const OUTPUT_NAME = /logits|memory_(?:flat|cell)_out/
/** The runtime's messages may hold node names from the file, of any length. */
const MESSAGE_READ_CHARACTERS = 1_000

/** An output that came with another rank, size or type than the port names. */
export class ShapeMismatch extends Error {}

/** The platform's `Memory`, saved before an instance replaces it with a bounded one. */
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
 * The glue would wait for messages of other threads for ever, and a waiting promise keeps an unused instance
 * and its whole memory alive. A session of one thread gets no such messages.
 */
Object.assign(Atomics, { waitAsync: undefined })

/**
 * One instance of the runtime, whose whole heap (weights, activations, the runtime's own data) stays
 * within `cap_bytes`. Changes `WebAssembly.Memory` for the calling thread, so a thread makes its
 * instances one after another.
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

/**
 * `arena` keeps the memory of a run for the next one, as in play; without it each tensor is taken
 * from the heap and given back.
 */
export interface SessionOptions {
  readonly optimize?: number
  readonly arena?: boolean
}

const openSession = (ort: OrtModule, weights: Uint8Array, { optimize = OPTIMIZE.all, arena = true }: SessionOptions): number => {
  const data = allocate(ort, weights.length)
  ort.HEAPU8.set(weights, data)
  const options = ort._OrtCreateSessionOptions(optimize, arena, arena, 0, false, 0, 0, LOG_FATAL_ONLY, 0, 0)
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
  constructor(ort: OrtModule, weights: Uint8Array, options: SessionOptions = {}) {
    this.ort = ort
    this.handle = openSession(ort, weights, options)
  }
}

/**
 * The inputs and outputs of one board, laid out in the runtime's memory once, for good: a run
 * takes and gives its numbers there. That memory is shared memory, which grows in place, so what
 * is seen through a view stays there.
 */
export class Feed {
  /** The model's inputs, to be written before a run. */
  readonly inputs: ReadonlyArray<Float32Array>
  /** The outputs of the last run. The next run overwrites them; a failed run leaves them in an unknown state. */
  readonly outputs: ReadonlyArray<Float32Array>
  readonly #ort: OrtModule
  readonly #session: number
  readonly #in: Laid
  readonly #out: Laid

  constructor({ ort, handle }: Session, inputs: ReadonlyArray<Port>, outputs: ReadonlyArray<Port>) {
    this.#ort = ort
    this.#session = handle
    this.#in = layOut(ort, inputs)
    this.#out = layOut(ort, outputs)
    this.inputs = viewsOf(ort, this.#in)
    this.outputs = viewsOf(ort, this.#out)
  }

  /**
   * Runs once and answers how many milliseconds passed inside the runtime, from the call of
   * its one function to its return.
   */
  run(): number {
    const start_ms = performance.now()
    const code = this.#ort._OrtRun(
      this.#session,
      this.#in.names,
      this.#in.tensors,
      this.inputs.length,
      this.#out.names,
      this.outputs.length,
      this.#out.tensors,
      0
    )
    const infer_ms = performance.now() - start_ms
    if (code !== 0) throw runError(this.#ort)
    return infer_ms
  }
}

/** The runtime writes into the outputs' buffers, and refuses an output that does not fit exactly. */
const runError = (ort: OrtModule): Error => {
  const failure = lastError(ort)
  const message = failure.message.slice(0, MESSAGE_READ_CHARACTERS)
  const found = MISSHAPEN.exec(message)
  if (found === null) return failure
  const [, wanted, got] = found
  const name = OUTPUT_NAME.exec(message)?.[0]
  if (got !== undefined) return new ShapeMismatch(`output ${name} has shape [${got}], not [${wanted}]`)
  return new ShapeMismatch(`${name === undefined ? "an output" : `output ${name}`} has another shape or type than the game's`)
}

/**
 * Ports as the runtime is given them: pointers to a list of names and to a list of tensors, and
 * where each tensor's data lie.
 */
interface Laid {
  readonly names: number
  readonly tensors: number
  readonly data: ReadonlyArray<readonly [pointer: number, count: number]>
}

const layOut = (ort: OrtModule, ports: ReadonlyArray<Port>): Laid => {
  const names = allocate(ort, 4 * ports.length)
  const tensors = allocate(ort, 4 * ports.length)
  const data = ports.map(({ name, dims }, index) => {
    const count = countOf(dims)
    const pointer = allocate(ort, 4 * count)
    ort.HEAPU8.fill(0, pointer, pointer + 4 * count)
    const shape = allocate(ort, 4 * dims.length)
    dims.forEach((dim, axis) => {
      ort.setValue(shape + 4 * axis, dim, "i32")
    })
    const tensor = ort._OrtCreateTensor(FLOAT, pointer, 4 * count, shape, dims.length, LOCATION_CPU)
    if (tensor === 0) throw lastError(ort)
    ort.setValue(names + 4 * index, allocateText(ort, name), "*")
    ort.setValue(tensors + 4 * index, tensor, "*")
    return [pointer >>> 0, count] as const
  })
  return { names, tensors, data }
}

const viewsOf = (ort: OrtModule, { data }: Laid) => data.map(([pointer, count]) => new Float32Array(ort.HEAPU8.buffer, pointer, count))
