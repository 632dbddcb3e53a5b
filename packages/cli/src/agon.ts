/** `agon` as an effect of its arguments, and the exit status of how it ends. */
import { plain } from "@agon/sandbox/Verdict.ts"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { Command } from "effect/cli"
import { CouldNotRun, No } from "./Answer.ts"
import { commandsFor } from "./commands.ts"
import { printingFit } from "./TerminalConsole.ts"
import { VERSION } from "./toolVersion.ts"

/** Unforeseen failures and wrong arguments exit with 2, requested help with 0. */
export const statusOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  const error = Cause.squash(exit.cause)
  if (error instanceof No) return 1
  return Runtime.getErrorExitCode(error) === 0 ? 0 : 2
}

/** `--sprt 0 20` as `--sprt=0,20`: flags take one value, and a negative number would be read as a flag. */
const ofTwoNumbers = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const at = args.indexOf("--sprt")
  const [low = "", high = ""] = args.slice(at + 1)
  return at < 0 || [low, high].some((one) => !/^-?[\d.]+$/.test(one)) ? args : args.toSpliced(at, 3, `--sprt=${low},${high}`)
}

/** One line, although the message may repeat a file or an answer that somebody else wrote. */
const say = ({ message }: CouldNotRun) => Console.error(`agon: ${plain(message)}`)

export const agon = (args: ReadonlyArray<string>) =>
  Effect.flatMap(commandsFor(args), (commands) =>
    Command.runWith(
      Command.make("agon").pipe(
        Command.withDescription("Examine, play and submit models, follow a competition, simulate seasons"),
        Command.withSubcommands(commands as never)
      ),
      { version: VERSION }
    )(ofTwoNumbers(args))
  ).pipe(
    Effect.tapError((error: unknown) => (error instanceof CouldNotRun ? say(error) : Effect.void)),
    printingFit
  )
