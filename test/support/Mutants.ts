/**
 * Mutants live beside the tests and never in the code: a mutant is a file, a piece of its text that occurs exactly
 * once, and what stands there instead. Importing a module as `file.ts?mutant=name` loads it, and whatever it imports
 * from our own packages, with that piece replaced; the plain module is untouched in the same run.
 */
import type { Plugin } from "vite"

export interface Mutant {
  readonly file: string
  readonly find: string
  readonly replace: string
}

export const plugin = (mutants: Readonly<Record<string, Mutant>>): Plugin => ({
  name: "mutants",
  enforce: "pre",
  async resolveId(source, importer) {
    const mutant = importer?.match(/\?mutant=(\w+)/)?.[1]
    if (mutant === undefined || source.includes("?mutant=")) return null
    const resolved = await this.resolve(source, importer, { skipSelf: true })
    return resolved?.id.match(/packages\/\w+\/src\/.*\.ts$/) ? `${resolved.id}?mutant=${mutant}` : null
  },
  transform(code, id) {
    const [file = "", name] = id.split("?mutant=")
    const mutant = name === undefined ? undefined : mutants[name]
    if (mutant === undefined || !file.endsWith(mutant.file)) return null
    if (code.split(mutant.find).length !== 2) throw new Error(`mutant ${name}: its text must occur exactly once in ${mutant.file}`)
    return code.replace(mutant.find, () => mutant.replace)
  }
})
