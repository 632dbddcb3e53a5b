/**
 * The commands by name. Each loads its own module, so that a start takes no longer than its command needs:
 * the sandbox, the client of the service and the simulator are large.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"

type AnyCommand = Command.Command<any, any, any, any, any>

interface Entry {
  readonly description: string
  readonly load: () => Promise<AnyCommand>
}

/** A program of its own, which main.ts starts; here it is in the help and in completions. */
const runner = Command.make("runner")

const commands: Readonly<Record<string, Entry>> = {
  login: { description: "Sign in by a code that you approve in a browser", load: async () => (await import("./account/login.ts")).login },
  logout: { description: "End the session of agon login", load: async () => (await import("./account/logout.ts")).logout },
  whoami: { description: "Say who is signed in", load: async () => (await import("./account/whoami.ts")).whoami },
  examine: { description: "Check a model as admission does", load: async () => (await import("./version/examine.ts")).examine },
  submit: { description: "Enter a model's version into a season", load: async () => (await import("./submission/submit.ts")).submit },
  status: { description: "Show your versions in admission", load: async () => (await import("./submission/status.ts")).status },
  play: { description: "Play one match, with one model per seat", load: async () => (await import("./match/play.ts")).play },
  watch: { description: "Show a match turn by turn", load: async () => (await import("./match/watch.ts")).watch },
  replay: { description: "Fetch replays", load: async () => (await import("./match/replay/download.ts")).replay },
  duel: { description: "Find out which of two models is the stronger", load: async () => (await import("./match/duel.ts")).duel },
  gauntlet: {
    description: "Play a model against each of the zoo, and estimate its place",
    load: async () => (await import("./match/gauntlet.ts")).gauntlet
  },
  rerun: {
    description: "Write the observations and logits of one turn of a match for numpy",
    load: async () => (await import("./match/rerun.ts")).rerun
  },
  verify: {
    description: "Play a replay again, by the rules and optionally with the models, and compare",
    load: async () => (await import("./match/verify.ts")).verify
  },
  zoo: {
    description: "Write the example models and the boards they play on",
    load: async () => (await import("./model/zoo.ts")).zooCommand
  },
  season: { description: "Create and steer a season from its YAML file", load: async () => (await import("./season/season.ts")).season },
  runner: { description: "Play matches for a service; its options are variables, see agon runner --help", load: async () => runner },
  simulate: {
    description: "Play seasons between entries of known strength and print how well the ratings recover it",
    load: async () => (await import("./season/simulate.ts")).simulateCommand
  },
  demo: {
    description: "Create the demonstration season on a service with development sign-in",
    load: async () => (await import("./season/demo.ts")).demoCommand
  }
}

/** Completions list every command's flags. */
const ALL = "--completions"

/** Every command; those that the arguments do not name have no flags and do nothing. */
export const commandsFor = (args: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<AnyCommand>> =>
  Effect.forEach(Object.entries(commands), ([name, { description, load }]) =>
    Effect.map(
      args.includes(name) || args.some((arg) => arg.startsWith(ALL)) ? Effect.promise(load) : Effect.succeed(Command.make(name)),
      (command): AnyCommand => Command.withDescription(command as AnyCommand, description)
    )
  )
