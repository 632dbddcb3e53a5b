/**
 * The arguments of a program whose options are environment variables: none but `--help`. Exit status
 * 2 says that it did not start.
 */

/** The part of Node's `process` that is used. */
interface Process {
  readonly argv: ReadonlyArray<string>
  readonly stdout: { readonly write: (text: string) => unknown }
  readonly stderr: { readonly write: (text: string) => unknown }
  exitCode?: number | string | null | undefined
}

interface Program {
  /** As the subject of a sentence. */
  readonly name: string
  readonly help: string
  readonly start: () => void
}

/** Whether a program that takes arguments is asked for its help instead. */
export const asksForHelp = (args: ReadonlyArray<string>): boolean => args.includes("--help") || args.includes("-h")

/**
 * Starts the program, or prints its help where that is asked for. Any other argument is refused,
 * since nothing would read it.
 */
export const byArguments = (process: Process, { help, name, start }: Program): void => {
  const [argument] = process.argv.slice(2)
  if (argument === undefined) start()
  else if (asksForHelp([argument])) process.stdout.write(help)
  else notStarted(process, `${name} takes no argument ${argument}; see --help.`)
}

/** Says in one sentence why the program does not start. */
export const notStarted = (process: Process, sentence: string): void => {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 2
}
