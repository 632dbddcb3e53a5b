/** The part of WebAssembly's interface that we touch; TypeScript ships it only with the browser's types. */
declare namespace WebAssembly {
  interface MemoryDescriptor {
    readonly initial: number
    readonly maximum?: number
    readonly shared?: boolean
  }
  class Memory {
    constructor(descriptor: MemoryDescriptor)
    readonly buffer: ArrayBufferLike
  }
  type Imports = Readonly<Record<string, unknown>>
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Instance {
    constructor(module: Module, imports: Imports)
  }
  function compile(bytes: Uint8Array): Promise<Module>
}
