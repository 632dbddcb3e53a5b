/** Events that must have happened in a run of some length: a promise that was never put to the test proves nothing. */
import type { Command } from "@agon/domain/season/Command.ts"
import type { Event } from "@agon/domain/season/Event.ts"
import { MISFORTUNES } from "./world/Faults.ts"

/**
 * A command or an event that is new is missing here until the world says or hears it; a
 * season tells itself of its folds.
 */
const COMMANDS: Readonly<Record<Exclude<Command["_tag"], "InstallFold">, true>> = {
  AddBoard: true,
  CloseSeason: true,
  Disqualify: true,
  EditSettings: true,
  EndVoids: true,
  Heartbeat: true,
  HoldOnly: true,
  LearnStarts: true,
  LeaseWork: true,
  PatchRound: true,
  PlanRound: true,
  Preflight: true,
  ReceiveFiles: true,
  Reinstate: true,
  RejectFiles: true,
  Release: true,
  ReplaysChecked: true,
  ReportAdmission: true,
  ReportFault: true,
  ReportMatch: true,
  RevokeKey: true,
  SubmitVersion: true,
  SwitchBaseline: true,
  SwitchBoard: true,
  SwitchOwner: true,
  Tick: true,
  VoidMatch: true
}
const EVENTS: Readonly<Record<Event["_tag"], true>> = {
  BoardChanged: true,
  MatchEnded: true,
  MatchRated: true,
  MatchVoided: true,
  RatingsRescaled: true,
  RoundStarted: true,
  SeasonChanged: true,
  SeasonClosed: true,
  VersionMoved: true,
  WorkAppeared: true
}

/** Kinds of fault, each by the name under which the world counts it. */
const FAULTS = [
  ...["runner died", "reply lost", "result repeated", "result delayed past its lease", "result under another key"],
  ...["result for a lease nobody has", "result malformed", "runner distrusted", "match suspected"],
  ...["delivered twice", "store away", "refused by a store that is away"],
  ...["clock forward", "clock back", "killed between two batches", "epoch stolen between two batches"],
  ...MISFORTUNES.map(({ point, what }) => `${what} at ${point}`)
]

/** Requests of administrators that cannot be met. */
const REFUSALS = [
  ...["AddBoard board_exists", "SwitchBoard not_found", "SwitchBaseline not_found", "PlanRound invalid_request"],
  ...["PatchRound not_found", "PatchRound round_started", "EditSettings season_not_scheduled", "EditSettings rules_invalid"]
]

export const EVERYTHING: ReadonlyArray<string> = [
  ...Object.keys(COMMANDS).map((command) => `command ${command}`),
  ...Object.keys(EVENTS).map((event) => `event ${event}`),
  ...["ratings wait", "event RatingsWritten"],
  ...FAULTS,
  ...REFUSALS,
  ...["match rated", "match finished", "match runner_lost", "match engine_fault", "match weights_unavailable"],
  ...[
    "superseded",
    "board_disabled",
    "baseline_disabled",
    "season_closed",
    "round_reset",
    "suspended",
    "disqualified",
    "owner_removed"
  ].map((reason) => `match ${reason}`),
  ...["accepted", "lost", "released", "withdrawn", "malformed", "unknown"].map((answer) => `result ${answer}`),
  ...["done", "already", "unknown"].map((answer) => `void ${answer}`),
  ...["void installed", "several voids installed", "starts installed", "starts and void installed"],
  ...[
    "entered",
    "suspended",
    "disqualified",
    "superseded",
    "disabled",
    "rejected",
    "trial_failed",
    "too_large",
    "too_slow",
    "memory_over_class"
  ].map((end) => `version ${end}`),
  ...["wrong_signature", "hash_mismatch", "upload_expired", "season_closed", "admission_unavailable"].map((reason) => `version ${reason}`),
  ...["unavailable", "twins", "seasons", "two seasons in one store", "closed in the middle", "closed unchecked"],
  "lease lived its longest life"
]
