/** Modules of Node's without an import of them: a browser, which the engine runs in too, could not load such a module. */

interface Process {
  readonly getBuiltinModule?: (name: string) => unknown
}

/** Undefined where this is not Node. */
export const moduleOfNode = <Module>(name: string): Module | undefined => {
  const { process } = globalThis as { readonly process?: Process }
  return process?.getBuiltinModule?.(name) as Module | undefined
}
