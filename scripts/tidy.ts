/**
 * Checks rules that the compiler and the linter do not know: the floor plan, sizes, names, banned calls, dependencies, exports that no
 * other file takes, and content that must not be in a public repository. One line per finding, `file:line  rule  what to do`.
 *
 *   node scripts/tidy.ts [root]     exit status 0 clean, 1 findings, 2 could not run
 */
import { resolve } from "node:path"
import { tidy } from "./tidy/tidy.ts"

const root = resolve(process.argv[2] ?? resolve(import.meta.dirname, ".."))
try {
  const { files, findings, longFiles } = tidy(root)
  for (const { file, line, rule, message } of findings) console.log(`${file}:${line}  ${rule}  ${message}`)
  const aim = longFiles === 0 ? "" : `, ${longFiles} over the aim of 200 lines`
  console.log(`tidy: ${files} source files${aim}, ${findings.length} findings`)
  process.exitCode = findings.length === 0 ? 0 : 1
} catch (error) {
  console.error(`tidy could not read ${root}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exitCode = 2
}
