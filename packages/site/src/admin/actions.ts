/** The log of administrative writes in words: clauses whose subject is whoever did it. The compiler names an action without words. */
import type { AuditAction } from "@agon/api/admin/Audit.ts"

const ACTIONS: Readonly<Record<AuditAction, string>> = {
  "admin.appoint": "appointed an administrator of the season",
  "admin.dismiss": "dismissed an administrator of the season",
  "announcement.add": "announced something",
  "announcement.edit": "changed an announcement",
  "announcement.remove": "removed an announcement",
  "baseline.import": "copied a baseline from another season",
  "baseline.record": "recorded a baseline",
  "baseline.switch": "brought a baseline into play, or took it out",
  "board.add": "added a board",
  "board.import": "copied a board from another season",
  "board.switch": "brought a board into play, or took it out",
  "comment.approve": "approved a comment",
  "comment.remove": "removed a comment",
  "match.doubt": "kept a match that should have been voided: the season had closed",
  "match.unaudited": "let a match stand that could not be played again to be checked",
  "match.unchecked": "let a match stand whose replay could not be checked",
  "match.void": "voided a match",
  "participant.add": "put a login on the roster",
  "participant.remove": "took a login off the roster",
  "pick.add": "picked a match worth watching",
  "pick.remove": "took the pick of a match back",
  "platform.notify": "sent a notice to everybody",
  "post.add": "wrote a post",
  "post.edit": "changed a post",
  "post.remove": "removed a post",
  "round.patch": "moved or withdrew a round",
  "round.plan": "planned a round",
  "runner-key.create": "made a runner key",
  "runner-key.revoke": "revoked a runner key",
  "runner.doubt": "doubts a runner: models are late under its key alone, or it judged or failed one as no other key did",
  "runner.flag": "flagged a runner for false results: it gets no more work",
  "runner.stop": "stopped a runner",
  "season.close": "closed the season",
  "season.create": "created the season",
  "season.doubt": "closed the season before its last results were checked, or its ratings had the starts that it had learned",
  "season.edit": "edited the season",
  "season.entry": "restricted entry to the roster",
  "season.feature": "featured the season",
  "season.fill": "changed how much is played while no match is owed",
  "season.fleet": "changed whose runners work for the season",
  "season.notify": "sent a notice to the participants",
  "season.remove": "removed a season that had ended, with all that was in it",
  "story.approve": "approved a story",
  "story.feature": "featured a story",
  "story.reject": "rejected a story",
  "story.unfeature": "featured a story no more",
  "thread.lock": "locked a thread",
  "thread.open": "opened a thread again",
  "user.edit": "changed the standing of an account",
  "version.disqualify": "disqualified an entry",
  "version.doubt": "closed the season before all matches of a disqualified entry were voided",
  "version.reinstate": "let an entry play again",
  "webhook.create": "added a webhook of the season",
  "webhook.edit": "changed a webhook of the season",
  "webhook.remove": "removed a webhook of the season",
  "webhook.rotate": "made another secret for a webhook of the season",
  "webhook.test": "posted a test to a webhook of the season",
  "word.add": "put a word on the list",
  "word.remove": "took a word off the list"
}

/** The words for what is brought into play and taken out, by the detail's `enabled`. */
const SWITCHES: Partial<Readonly<Record<AuditAction, readonly [on: string, off: string]>>> = {
  "baseline.switch": ["brought a baseline into play", "took a baseline out of play"],
  "board.switch": ["brought a board into play", "took a board out of play"]
}

/** The words for an action in the log; undefined for one that another release has written. */
export const wordsOfAction = (action: string, detail: unknown): string | undefined => {
  if (!Object.hasOwn(ACTIONS, action)) return undefined
  const switched = SWITCHES[action as AuditAction]
  const enabled = typeof detail === "object" && detail !== null && "enabled" in detail ? detail.enabled : undefined
  return switched === undefined || typeof enabled !== "boolean" ? ACTIONS[action as AuditAction] : switched[enabled ? 0 : 1]
}
