/**
 * The commands of a season and its replies. Times are ms since 1970; the names of durations end in their unit.
 * A lease is named `<match or version id>.<n>`, n counting the leases of that match or review.
 */
import type { SeatOutcome } from "../match/Outcome.ts"
import type { RefusalFact } from "../submission/Refusals.ts"
import type { Audit } from "./Audit.ts"
import type { Fault, SettingsPatch } from "./Editing.ts"
import type { Verdict } from "./entry/Verdict.ts"
import type { Earlier, EndedMatch, LeftRating, LogPage } from "./Log.ts"
import type { Phase, RejectReason, Status } from "./Reasons.ts"
import type { Ladder, Rules } from "./Rules.ts"
import type { Fold } from "./rating/Fold.ts"

export interface MatchOutcome {
  readonly runtime_version: string
  readonly reason: string
  readonly turns: number
  readonly played_ms: number
  /** By seat: seat i is the i-th of the lease. */
  readonly seats: ReadonlyArray<SeatOutcome>
  readonly state_sha256: string
  /** `content`: its text where it is short and is kept with the match; the others lie in the object store. */
  readonly replay: { readonly hash: string; readonly bytes: number; readonly content?: string } | null
}

/**
 * Owners whose announcements of the same weights give way to this submission, as long as their files have not come. A hash is public:
 * whoever does not have the file would otherwise keep the weights from their owner, for as long as an upload may take.
 */
type GivingWay = ReadonlyArray<string>

/**
 * Owners whose announcements of the same weights stay and do not keep this submission out, as long as their files have not come: an
 * announcement of them has come to nothing before, so one account after the other could hold them. Whose files come first enters.
 */
type Beside = ReadonlyArray<string>

export type Command =
  /** A new candidate, or the repeat of one. `files` are given where the bytes are known already (re-entry, imported baselines). */
  | {
      readonly _tag: "SubmitVersion"
      readonly version: string
      readonly model: string
      readonly owner: string | null // null: a baseline
      readonly number: number
      readonly weights_hash: string
      readonly manifest_hash: string
      readonly note: string | null
      readonly eligible: boolean // no longer if the season's actor finds that the owner was removed meanwhile
      readonly retired: boolean
      readonly files: { readonly weights_bytes: number; readonly manifest_bytes: number } | null
      readonly giving_way?: GivingWay
      readonly beside?: Beside
      readonly audit?: Audit
    }
  /** Asks what `SubmitVersion` would answer now; changes nothing. Without hashes it cannot foresee `weights_already_entered`. */
  | {
      readonly _tag: "Preflight"
      readonly owner: string
      readonly model: string | null
      readonly hashes: { readonly weights_hash: string; readonly manifest_hash: string } | null
      readonly eligible: boolean
      readonly retired: boolean
      readonly giving_way?: GivingWay
      readonly beside?: Beside
    }
  /** Both files are in the object store, with the hashes given at submission. */
  | { readonly _tag: "ReceiveFiles"; readonly version: string; readonly weights_bytes: number; readonly manifest_bytes: number }
  /** The service itself found a fault in the files. */
  | { readonly _tag: "RejectFiles"; readonly version: string; readonly reject_reason: RejectReason; readonly reject_detail: string }
  | {
      readonly _tag: "LeaseWork"
      readonly runner: string
      readonly key: string
      readonly fleet: "own" | "platform"
      readonly engine_digest: string | null // of this season's game; null: the runner does not play it
      readonly matches: boolean
      readonly admissions: boolean
      readonly max: number
    }
  /** `denied`: its replay contradicts it, so that the match fails at once. */
  | {
      readonly _tag: "ReportMatch"
      readonly key: string
      readonly lease: string
      readonly outcome: MatchOutcome
      readonly denied?: { readonly detail: string; readonly audit: Audit }
    }
  | {
      readonly _tag: "ReportFault"
      readonly key: string
      readonly lease: string
      readonly fault_reason: "engine_fault" | "weights_unavailable"
      readonly version?: string | null // the version whose files are not available
      readonly detail: string
    }
  | { readonly _tag: "ReportAdmission"; readonly key: string; readonly lease: string; readonly verdict: Verdict }
  | { readonly _tag: "Heartbeat"; readonly key: string; readonly leases: ReadonlyArray<string> }
  | { readonly _tag: "Release"; readonly key: string; readonly lease: string }
  /** Work of this runner that `holds` does not name never reached it; it is queued again and costs no attempt. */
  | {
      readonly _tag: "HoldOnly"
      readonly runner: string
      readonly holds: ReadonlyArray<string>
      /** The leases that were known when the runner spoke: one that it was given since stays, however late this comes. */
      readonly among?: ReadonlyArray<string>
    }
  /** Ends the leases of a revoked key at once. `stays`: the key is not revoked, but nobody is left to play what it holds. */
  | { readonly _tag: "RevokeKey"; readonly key: string; readonly stays?: boolean; readonly audit?: Audit }
  | {
      readonly _tag: "AddBoard"
      readonly board: string
      readonly players: number
      readonly rows: number
      readonly cols: number
      readonly file: unknown
      readonly audit?: Audit
    }
  | { readonly _tag: "SwitchBoard"; readonly board: string; readonly enabled: boolean; readonly audit?: Audit }
  | { readonly _tag: "SwitchBaseline"; readonly version: string; readonly enabled: boolean; readonly audit?: Audit }
  /** Takes an entry out of play until it is reinstated. `void_matches`: a close waits until its matches are voided, see `EndVoids`. */
  | {
      readonly _tag: "Disqualify"
      readonly version: string
      readonly reason: string
      readonly void_matches?: boolean
      readonly audit?: Audit
    }
  /** All matches of a disqualified version are voided, as was asked for with `Disqualify`. */
  | { readonly _tag: "EndVoids"; readonly version: string }
  /** A suspended or disqualified entry plays again. */
  | { readonly _tag: "Reinstate"; readonly version: string; readonly audit?: Audit }
  /**
   * Takes all entries of an account out of play, since it may not take part any more, or lets them play again. Null: the season's actor
   * adds which of the two, as it is by the rows when the command's turn comes.
   */
  | { readonly _tag: "SwitchOwner"; readonly owner: string; readonly removed: boolean | null; readonly audit?: Audit }
  | {
      readonly _tag: "PlanRound"
      readonly kind: "round" | "finals"
      readonly games: number
      readonly starts_at: number
      readonly audit?: Audit
    }
  | {
      readonly _tag: "PatchRound"
      readonly n: number
      readonly games?: number
      readonly starts_at?: number
      readonly withdrawn?: true
      readonly audit?: Audit
    }
  /** `settings` names what changes; the rest stays as it is, also within rules, fleet and fill. */
  | { readonly _tag: "EditSettings"; readonly settings: SettingsPatch; readonly scheduledOnly: boolean; readonly audit?: Audit }
  /**
   * Voids a match that was not played as reported, or, where it names a version, while that is disqualified. The season's actor adds
   * its rows; null: there are none.
   */
  | {
      readonly _tag: "VoidMatch"
      readonly match: string
      readonly detail: string
      readonly disqualified?: string
      readonly found: EndedMatch | null
      readonly audit?: Audit
    }
  /** Sent by the fold beside the season. The actor adds what was rated since, and which versions of the fold are out of play. */
  | {
      readonly _tag: "InstallFold"
      readonly fold: Fold
      readonly voiding: ReadonlySet<string> // voided matches that were waiting when `earlier` was read
      readonly earlier: ReadonlyArray<Earlier> // of the versions seated in them
      readonly tail_max: number // the most matches that may have been rated since
      readonly rows: FoldRows | null
    }
  /**
   * Sent by the look at the log beside the season: how far the strengths of each ladder's field lie apart, in points, by the first `played`
   * matches of the round. A ladder of which the log says too little has none.
   */
  | {
      readonly _tag: "LearnStarts"
      readonly round: number
      readonly played: number
      readonly spreads: Readonly<Partial<Record<Ladder, number>>>
    }
  /** `checks`: the podium waits until the replays of the results are checked, see `ReplaysChecked`. */
  | { readonly _tag: "CloseSeason"; readonly checks?: true; readonly audit?: Audit }
  /** The replays of the first `played` results are checked, and those that were false are voided. */
  | { readonly _tag: "ReplaysChecked"; readonly played: number }
  | { readonly _tag: "Tick" }

export interface FoldRows {
  readonly tail: LogPage
  readonly left: ReadonlyArray<LeftRating>
}

/** Work handed to a runner. Files and URLs that a runner also needs follow from the ids and never change. */
export type Work =
  | {
      readonly kind: "match"
      readonly lease: string
      readonly until: number
      readonly match: string
      readonly ladder: Ladder | null
      readonly is_trial: boolean
      /** A match of the finals, whose result may be the season's last. */
      readonly is_finals: boolean
      readonly board: string
      readonly seed: number
      readonly versions: ReadonlyArray<string>
      readonly rules: Rules["match"]
      /** The runner charges moves by this. */
      readonly infer_us_max: number
    }
  | { readonly kind: "admission"; readonly lease: string; readonly until: number; readonly version: string; readonly attempt: number }

/** The answer to a result. For `unknown` the rows are consulted (`answerAgain`), since the machine forgets work that has ended. */
export type Receipt =
  /**
   * `replay_kept`: the replay came with its text, which is written with the match. `answered`: the lease had ended with another result,
   * or the match is played again to confirm this one, so that it came to nothing with its replay.
   */
  | { readonly accepted: true; readonly replay_kept?: true; readonly answered?: true }
  | { readonly accepted: false; readonly reason: "lost" | "released" | "withdrawn" | "unknown" }
  /** The result contradicts itself or the match; nothing has changed. */
  | { readonly accepted: false; readonly reason: "malformed"; readonly detail: string }

export interface Holdings {
  readonly models: { readonly held: number; readonly cap: number }
  readonly versions: { readonly held: number; readonly cap: number }
  readonly candidate: { readonly version: string; readonly phase: Phase } | null
  readonly cooldown_until: number | null
}

/** The version of this model that already has these hashes in this season. */
export interface Repeated {
  readonly submitted: string
  readonly number: number
  readonly upload_until: number | null
}

export interface Replies {
  readonly SubmitVersion: (Repeated & { readonly fresh: boolean }) | { readonly refused: ReadonlyArray<RefusalFact> }
  readonly Preflight: { readonly holdings: Holdings; readonly refused: ReadonlyArray<RefusalFact>; readonly same: Repeated | null }
  readonly ReceiveFiles: { readonly received: boolean }
  readonly RejectFiles: { readonly received: boolean }
  readonly LeaseWork: ReadonlyArray<Work>
  readonly ReportMatch: Receipt
  readonly ReportFault: Receipt
  readonly ReportAdmission: Receipt
  readonly Heartbeat: ReadonlyArray<{ readonly lease: string; readonly until: number } | { readonly lease: string; readonly lost: true }>
  /** `unknown`: there has been no such lease, or it is a live one of another key. */
  readonly Release: { readonly released: boolean; readonly unknown: boolean }
  readonly HoldOnly: { readonly returned: number }
  readonly RevokeKey: { readonly returned: number }
  readonly AddBoard: { readonly added: true } | { readonly refused: "board_exists" }
  readonly SwitchBoard: { readonly enabled: boolean } | { readonly refused: "not_found" }
  readonly SwitchBaseline:
    | { readonly enabled: boolean }
    | { readonly refused: "not_found" | "testing" | "season_closed" }
    | { readonly refused: "over_limits"; readonly detail: string }
  readonly Disqualify: { readonly status: Status } | { readonly refused: "not_in_contention" }
  readonly EndVoids: null
  readonly Reinstate: { readonly status: Status; readonly phase: Phase | null } | { readonly refused: "not_found" }
  /** How many of its versions changed. */
  readonly SwitchOwner: { readonly switched: number }
  readonly PlanRound: { readonly n: number } | { readonly refused: "invalid_request"; readonly detail: string }
  readonly PatchRound:
    | { readonly n: number }
    | { readonly refused: "not_found" | "round_started" | "invalid_request"; readonly detail: string }
  readonly EditSettings:
    | { readonly edited: true }
    | { readonly refused: "season_not_scheduled" }
    | { readonly refused: "invalid_request" | "rules_invalid"; readonly errors: ReadonlyArray<Fault> }
  /**
   * `again`: as many voided matches as allowed already wait for ratings without them; ask later. `reinstated`: the version is not
   * disqualified any more.
   */
  readonly VoidMatch:
    | { readonly voided: true }
    | { readonly voided: false; readonly reason: "unknown" | "already" | "again" | "reinstated" }
  /** Not installed: too much was rated since for one commit, fold on. `stale`: a match in the fold was voided since, start over. */
  readonly InstallFold: { readonly installed: boolean; readonly stale: boolean }
  /** Learned: the log is to be folded with other starts. Not: they are near enough, or the round is over. */
  readonly LearnStarts: { readonly learned: boolean }
  readonly CloseSeason: { readonly close_requested_at: number }
  readonly ReplaysChecked: null
  readonly Tick: null
}
export type ReplyTo<C extends Command> = Replies[C["_tag"]]
export type Reply = ReplyTo<Command>
export type Of<Tag extends Command["_tag"]> = Extract<Command, { readonly _tag: Tag }>
