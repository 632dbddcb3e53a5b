/** The floor plan: which of our packages each package may import. A package that is not listed is a finding. */
export const floorPlan: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  engine: [],
  onnx: [],
  "embedded-postgres": [],
  api: ["domain"],
  sandbox: ["engine", "onnx"],
  zoo: ["engine", "onnx"],
  server: ["api", "domain", "embedded-postgres", "engine", "sandbox"],
  runner: ["api", "engine", "sandbox"],
  site: ["api", "engine", "zoo"],
  cli: ["api", "domain", "engine", "runner", "sandbox", "zoo"]
}

/** Programs do not import each other, but for the tool, which starts the runner (packages/cli/src/places.ts). */
export const programs: ReadonlyArray<string> = ["server", "runner", "site", "cli"]

/**
 * The rules of the season read no clock and touch no machine, so nothing of Node's either; those of
 * the games run in browsers too.
 */
export const withoutBuiltins: ReadonlyArray<string> = ["domain", "engine"]

/** The same feature folders in every package, so that one feature is found in all of them under one name. */
export const features: ReadonlyArray<string> = [
  "account",
  "game",
  "season",
  "board",
  "leaderboard",
  "model",
  "version",
  "submission",
  "match",
  "comment",
  "dataset",
  "notification",
  "writing",
  "view",
  "admin",
  "runner"
]

/**
 * Folders beside the features, by package: the machine under the server, and the terms of a package's own
 * field. Any package may have a folder `testing`, which only tests import; the games' folders are those of
 * the engine that hold a `game.ts`.
 */
export const infrastructure: Readonly<Record<string, ReadonlyArray<string>>> = {
  api: ["documentation", "program"],
  domain: ["pairing", "rating"],
  engine: ["replay"],
  onnx: ["generated"],
  sandbox: ["admission", "worker"],
  zoo: ["graph"],
  site: ["html", "http", "picture"],
  server: [
    "process",
    "metric",
    "config",
    "database",
    "http",
    "node",
    "object",
    "audit",
    "rating",
    "actor",
    "parking",
    "backup",
    "doctor",
    "removal"
  ]
}
