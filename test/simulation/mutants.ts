/** Planted bugs. Each breaks one promise of the season; the simulation must notice every one of them. */
import type { Mutant } from "../support/Mutants.ts"

export const mutants: Readonly<Record<string, Mutant>> = {
  // leases and results
  lateResultOverwrites: { file: "season/Lease.ts", find: 'if (n < work.lease_n) return "lost"\n', replace: "" },
  anyKeyReports: { file: "season/Lease.ts", find: 'if (work.key !== key) return "unknown"\n', replace: "" },
  releasedStillCounts: { file: "season/Lease.ts", find: 'work.released ? "released" : "held"', replace: '"held"' },
  repeatAnsweredLost: {
    file: "season/scheduler/answerAgain.ts",
    find: 'row.fault_reason === "runner_lost" ?',
    replace: 'row.ending === "failed" ?'
  },
  oldLeaseAccepted: { file: "season/scheduler/answerAgain.ts", find: "lease.n < last || (", replace: "lease.n > last || (" },
  repeatOfFailureForgotten: {
    file: "season/entry/Reviews.ts",
    find: 'leaseState === "released" && version.admit_key === key',
    replace: "false"
  },
  failsTooEarly: { file: "season/scheduler/Requeueing.ts", find: "LOSSES_MAX = 3", replace: "LOSSES_MAX = 2" },
  neverFails: { file: "season/scheduler/Requeueing.ts", find: "++match.losses >= LOSSES_MAX", replace: "++match.losses > LOSSES_MAX" },
  leaseNeverEnds: { file: "season/Season.ts", find: "        state.leaseEnd,\n", replace: "" },
  leaseLivesForEver: {
    file: "season/Lease.ts",
    find: "Math.min(now + LEASE_MS, work.leased_at! + max_ms)",
    replace: "now + LEASE_MS"
  },
  leaseBeginsAnewAfterARestart: {
    file: "season/clock/Absence.ts",
    find: "(work.leased_at ?? state.now) + away_ms",
    replace: "at"
  },
  releaseCostsAnAttempt: {
    file: "season/scheduler/Leases.ts",
    find: "    else requeue(state, work)",
    replace: "    else loseMatch(state, work)"
  },
  extendsAnOldLease: {
    file: "season/scheduler/OpenMatches.ts",
    find: "work.lease_n !== name!.n || work.key",
    replace: "work.lease_n < name!.n || work.key"
  },
  malformedIsRated: { file: "match/Outcome.ts", find: "seat.rank !== ranks[i]", replace: "seat.rank < 1" },
  revokedKeyKeepsItsWork: {
    file: "season/scheduler/Leases.ts",
    find: "(work) => work.key === key)",
    replace: "(work) => work.key === key && false)"
  },
  revokedKeyIsGivenWork: {
    file: "season/scheduler/Leases.ts",
    find: " || isRevoked(state, command.key)) return leases",
    replace: ") return leases"
  },
  // what cannot be played
  failedCostsNothing: {
    file: "season/rating/LadderRatings.ts",
    find: "    rating.failed += virtualGamesOf(",
    replace: "    rating.failed += 0 * virtualGamesOf("
  },
  failuresAreNotCounted: { file: "season/scheduler/Faults.ts", find: "    n: (streak?.n ?? 0) + 1,", replace: "    n: 1," },
  nobodyIsSuspended: { file: "season/scheduler/Faults.ts", find: "if (isGuilty(state, version)) suspend", replace: "if (false) suspend" },
  suspendedTooEarly: { file: "season/scheduler/Faults.ts", find: "FAULTS_RUNNING = 5", replace: "FAULTS_RUNNING = 3" },
  suspendedIsPaired: { file: "season/Ladders.ts", find: "  if (rating.suspended) return\n", replace: "" },
  triedAgainAtOnce: { file: "season/scheduler/Faults.ts", find: "now < leftUntil(each)", replace: "now < each.at" },
  faultFailsAtOnce: {
    file: "season/scheduler/Requeueing.ts",
    find: "++match.losses >= LOSSES_MAX",
    replace: '++match.losses >= LOSSES_MAX || failed.reason !== "runner_lost"'
  },
  // what may start
  boardOffKeepsQueue: { file: "season/Administration.ts", find: "  state.recheckQueue = true\n", replace: "" },
  boardOffAfterLoss: {
    file: "season/scheduler/Requeueing.ts",
    find: "  const reason = mayNotStart(state, match)\n  if (reason !== null) withdraw(state, match, reason)\n}\n\nexport const loseMatch",
    replace: "}\n\nexport const loseMatch"
  },
  supersededStillStarts: {
    file: "season/scheduler/Requeueing.ts",
    find: 'if (version.status === "superseded") return',
    replace: 'if (version.status === "rejected") return'
  },
  disqualifiedStillStarts: {
    file: "season/scheduler/Requeueing.ts",
    find: 'if (version.status === "disqualified") return',
    replace: 'if (version.status === "rejected") return'
  },
  disqualifiedKeepsItsPlace: {
    file: "season/entry/Exclusion.ts",
    find: "    leaveLadders(state, version)\n",
    replace: "    state.active--\n"
  },
  disqualifiedIsForgottenByARestart: {
    file: "support/MemoryStore.ts",
    find: ' || version?.status === "disqualified"',
    replace: ""
  },
  candidateOfARemovedOwnerEnters: { file: "season/entry/Versions.ts", find: "if (version.owner_removed) {", replace: "if (false) {" },
  closingTakesTenMinutes: { file: "season/clock/Closing.ts", find: "CLOSING_MS = 60_000", replace: "CLOSING_MS = 600_000" },
  closesBeforeItsCheck: { file: "season/clock/Closing.ts", find: "checked < played && rated > 0", replace: "false" },
  lateResultCountsAsChecked: {
    file: "season/clock/Closing.ts",
    find: "  state.checked = played\n",
    replace: "  state.checked = state.played\n"
  },
  checkHasNoTime: { file: "season/clock/Closing.ts", find: "CHECKING_MS = 30_000", replace: "CHECKING_MS = 0" },
  closingKeepsQueue: { file: "season/clock/Closing.ts", find: "  state.recheckQueue = true\n", replace: "" },
  // who plays
  unowedPlay: {
    file: "season/scheduler/PairingBatches.ts",
    find: "prepare(state, ladder, ladder.owed)",
    replace: "prepare(state, ladder, Infinity)"
  },
  newVersionComesFirst: { file: "season/rating/LadderEntries.ts", find: "old === undefined ? 0 : turnsOf(old)", replace: "0" },
  mostVirtualGamesFirst: { file: "pairing/Heap.ts", find: "a.key < b.key ||", replace: "a.key > b.key ||" },
  tooManyInFlight: {
    file: "season/scheduler/PairingBatches.ts",
    find: "ENTRIES_PER_MATCH_IN_FLIGHT = 6",
    replace: "ENTRIES_PER_MATCH_IN_FLIGHT = 2"
  },
  ownersPlayThemselves: { file: "pairing/PairingBatch.ts", find: "a.owner !== b.owner", replace: "a !== b || a.owner === b.owner" },
  finalsEndEarly: {
    file: "season/scheduler/Owing.ts",
    find: "if (ladder.queue.length > 0 || ladder.playing > 0) return true",
    replace: "if (ladder.queue.length === 0) return false"
  },
  boardUseIsNotCounted: {
    file: "season/scheduler/OpenMatches.ts",
    find: "  board.used[queueIndex(ladder)]!++\n",
    replace: ""
  },
  boardThatComesIsPlayedAlone: { file: "season/Administration.ts", find: "Math.max(used, firstUse(state, queue))", replace: "used" },
  seatsAreNotCounted: { file: "season/rating/LadderRatings.ts", find: "rating.seat_sum += i /", replace: "rating.seat_sum += 0 * i /" },
  // ratings and rounds
  staleRoundRated: {
    file: "season/scheduler/Results.ts",
    find: "match.ladder !== null && match.round === state.round\n  const seats",
    replace: "match.ladder !== null\n  const seats"
  },
  roundKeepsDeviation: {
    file: "season/rating/Resets.ts",
    find: "  rating.sigma = start\n",
    replace: ""
  },
  openIsNotMoved: {
    file: "season/scheduler/Results.ts",
    find: "made === open ? null : rateOn(state, open, { seats: ratingsOf(open, match), ranks, forfeits, isMade: false })",
    replace: "null"
  },
  takesOverDeviation: { file: "rating/Rating.ts", find: "Math.max(old.sigma, spread * TAKEN_OVER_SHARE_MIN)", replace: "old.sigma" },
  tiesCountTwice: { file: "rating/Rating.ts", find: "- p) / ties", replace: "- p)" },
  podiumByGames: { file: "season/rating/Podium.ts", find: "b.mu - a.mu ||", replace: "b.matches - a.matches ||" },
  repeatIsNew: {
    file: "season/Repeats.ts",
    find: "row === undefined || !(isWritten",
    replace: "row !== undefined || !(isWritten"
  },
  missedRoundStartsNow: {
    file: "season/Season.ts",
    find: "state.now = Math.max(state.now, due)",
    replace: "state.now = Math.max(state.now, now)"
  },
  // versions
  strikesPassTheTrial: {
    file: "season/scheduler/Trials.ts",
    find: "if (candidate.trial_failed === 0) enterVersion",
    replace: "if (candidate.trial_played > 0) enterVersion"
  },
  oldVersionStays: {
    file: "season/rating/LadderEntries.ts",
    find: "  if (before !== undefined) leaveLadders(state, before)\n",
    replace: ""
  },
  cooldownForgotten: {
    file: "season/entry/Submissions.ts",
    find: "countsOfOwner(state, command.owner).last_submitted_at = state.now",
    replace: "countsOfOwner(state, command.owner).last_submitted_at = null"
  },
  weightsTwice: {
    file: "season/VersionCounts.ts",
    find: "!isOf({ model, owner }) &&",
    replace: "each.model === null &&"
  },
  slowIsAdmitted: {
    file: "season/entry/Limits.ts",
    find: "version.infer_us! > rules.infer_us_max",
    replace: "version.infer_us! > 2 * rules.infer_us_max"
  },
  expiredUploadWaits: {
    file: "season/Season.ts",
    find: "if (state.uploadEnd <= state.now) expireUploads(state)",
    replace: "if (state.uploadEnd <= state.now) state.uploadEnd = Infinity"
  },
  uploadsPayForAnAbsence: { file: "season/clock/Absence.ts", find: "    version.upload_until += away_ms\n", replace: "" },
  // the actor and its rows
  givesUpWhileTheStoreIsAway: {
    file: "actor/SeasonActor.ts",
    find: "schedule: backoff, while: ({ stop }) => !stop",
    replace: "schedule: backoff, times: 20, while: ({ stop }) => !stop"
  },
  answersBeforeCommit: {
    file: "actor/SeasonActor.ts",
    find: "    if (isDirty(state) || fence",
    replace: "      for (let i = 0; i < batch.length; i++) Mailbox.answer(mailbox, batch[i]!, replies[i]!)\n    if (isDirty(state) || fence"
  },
  keepsStateAfterFailure: {
    file: "actor/SeasonActor.ts",
    find: "yield* Effect.timeout(store.commit(fence, state), COMMIT_TIMEOUT)",
    replace: "yield* Effect.catch(store.commit(fence, state), () => Effect.succeed(fence))"
  },
  shutForgetsTheBatch: {
    file: "actor/Mailbox.ts",
    find: "for (const held of mailbox.held) Deferred",
    replace: "for (const held of Queue.sizeUnsafe(mailbox.queue) > 0 ? mailbox.held : []) Deferred"
  },
  ratingNotWritten: {
    file: "season/rating/LadderRatings.ts",
    find: "    state.writes.ratings.add(rating)\n  })\n  return moved",
    replace: "  })\n  return moved"
  },
  restoreForgetsWhoIsBusy: { file: "season/Ladders.ts", find: "if (rating !== undefined) rating.busy = true", replace: "" },
  waitingRatingsNotKept: { file: "actor/WaitingRatings.ts", find: "[...changed, ...this.#restarted(state)]", replace: "[]" },
  keptRatingsGoTooEarly: {
    file: "actor/WaitingRatings.ts",
    find: "const [oldest = seq + 1] = this.#since.values()\n    return oldest",
    replace: "return seq"
  },
  supersededWaits: { file: "actor/WaitingRatings.ts", find: "if (all || !rating.active) {", replace: "if (false) {" },
  writtenWhileOthersWaitIsNotKept: {
    file: "actor/WaitingRatings.ts",
    find: "[...changed, ...this.#restarted(state)]",
    replace: "changed.filter((rating) => this.#since.has(rating))"
  },
  closesWhileRatingsWait: {
    file: "actor/WaitingRatings.ts",
    find: 'state.phase === "open" ? Math.floor(this.#left) : Infinity',
    replace: "Math.floor(this.#left)"
  },
  restartForgetsTheReset: {
    file: "season/rating/Resets.ts",
    find: "if (!rating.active || rating.round >= round) return false",
    replace: "return false"
  },
  restartForgetsWhatWaited: { file: "actor/WaitingRatings.ts", find: "    this.#takeUp(state)\n", replace: "" },
  drawsNotStored: { file: "season/Head.ts", find: "  draws: state.draws,\n", replace: "  draws: 0,\n" },
  slowTellingIsAwaited: {
    file: "actor/SeasonActor.ts",
    find: "Effect.timeout(telling, TELL_TIMEOUT).pipe(",
    replace: "telling.pipe("
  },
  commitIsAwaitedForEver: {
    file: "actor/SeasonActor.ts",
    find: "Effect.timeout(store.commit(fence, state), COMMIT_TIMEOUT)",
    replace: "store.commit(fence, state)"
  },
  obeysAfterTheClose: { file: "actor/SeasonActor.ts", find: 'if (state.phase === "closed") break\n', replace: "" },
  obeysBeforeWhatIsDue: {
    file: "actor/SeasonActor.ts",
    find: "batch.length === 0 || deadline(state) <= now",
    replace: "batch.length === 0"
  },
  writesThoughFenced: { file: "support/MemoryStore.ts", find: "rows.epoch !== fence.epoch || rows.seq !== fence.seq", replace: "false" },
  // two seasons in one store
  claimFencesTheOther: {
    file: "support/MemoryStore.ts",
    find: "        rows.epoch++\n",
    replace: "        for (const each of memory.values()) each.epoch++\n"
  },
  keptRatingsOfTheOtherGo: {
    file: "support/MemoryStore.ts",
    find: "        write(rows, state, fence.waiting.turn(state, fence.seq + 1, clock.currentTimeMillisUnsafe()))\n",
    replace: `        const turn = fence.waiting.turn(state, fence.seq + 1, clock.currentTimeMillisUnsafe())
        write(rows, state, turn)
        for (const { redo } of memory.values()) for (const seq of redo.keys()) if (turn.done !== null && seq < turn.done) redo.delete(seq)
`
  },
  foldsTheLogOfTheLastSeason: {
    file: "support/MemoryStore.ts",
    find: "const rows = (season: string) => memory.get(season)!",
    replace: "const rows = (_: string) => [...memory.values()].findLast(({ head }) => head.closed_at === null)!"
  },
  openingIsAnnouncedAgain: {
    file: "season/Season.ts",
    find: '  state.writes.head = true\n  state.events.push({ _tag: "SeasonChanged" })',
    replace: '  state.events.push({ _tag: "SeasonChanged" })'
  },
  timeGoesBack: { file: "season/Season.ts", find: "state.now = Math.max(state.now, now)", replace: "state.now = now" },
  // what ratings start with
  startsOfJoinersAreTheFirst: {
    file: "season/rating/LadderEntries.ts",
    find: "const start = startIn(starts, round, ladder)",
    replace: "const start = 200"
  },
  startsOfAFoldAreTheFirst: {
    file: "season/rating/Fold.ts",
    find: "...initialRating(startIn(starts, round, ladder)),",
    replace: "...initialRating(200),"
  },
  startsMissWhoHasNotPlayed: {
    file: "season/rating/Installing.ts",
    find: "      rating.sigma = sigmas[ladder.index]!\n",
    replace: ""
  },
  startsOfAResetAreTheFirst: {
    file: "season/State.ts",
    find: "startIn(state.starts, state.round, rating.ladder)",
    replace: "200"
  },
  startsAreForgottenWithALife: { file: "season/Head.ts", find: "  starts: state.starts,\n", replace: "  starts: [],\n" },
  startsHoldAtOnce: {
    file: "season/rating/Learning.ts",
    find: "  state.learning = { round, sigmas }\n",
    replace:
      "  state.learning = { round, sigmas }\n  state.starts = [...state.starts.filter((each) => each.round < round), state.learning]\n"
  },
  startsAreLearnedAgainstTheRules: { file: "season/rating/Learning.ts", find: "settings.rules.learn_spread === 1", replace: "true" },
  startsThatNobodyWouldNotice: { file: "season/rating/Learning.ts", find: ">= DIFFERENCE_MIN", replace: ">= 0.01" },
  // voided matches
  voidedStillCounts: { file: "season/scheduler/Voiding.ts", find: "      rating.matches--\n", replace: "" },
  voidedTwice: {
    file: "season/scheduler/Voiding.ts",
    find: 'if (found.ending === "failed" || state.writes.voided.some((row) => row.id === id)) return refused("already")',
    replace: ""
  },
  voidedTrialStands: { file: "season/scheduler/Voiding.ts", find: "if (found.candidate !== null) voidTrial(state, found)", replace: "" },
  voidedTrialKeepsItsCandidateOut: {
    file: "season/scheduler/Trials.ts",
    find: "if (candidate.trial_failed > 0) candidate.reject_detail",
    replace: "if (candidate.trial_void > 0) candidate.reject_detail"
  },
  voidedIsNotOwedAgain: {
    file: "season/scheduler/Voiding.ts",
    find: "rating.virtual_games = Math.max(0, rating.virtual_games - ",
    replace: "void ("
  },
  voidedKeepsItsSeat: { file: "season/scheduler/Voiding.ts", find: "  rating.seat_sum -= i / (seats.length - 1) - 0.5\n", replace: "" },
  voidForgetsItsBatch: {
    file: "season/rating/Installing.ts",
    find: "matches: [...matches, ...fresh].filter",
    replace: "matches: [...matches].filter"
  },
  voidKeepsLaterRatings: {
    file: "actor/Folding.ts",
    find: "for (const chunk of chunksOf(changes)) yield* politely(withinStatementTimeout(log.rewrite(fence, chunk)))",
    replace: ""
  },
  voidIsForgottenWithItsLife: { file: "season/scheduler/Voiding.ts", find: "  state.writes.voiding.add(id)\n", replace: "" },
  foldsARoundThatIsOverIntoThis: {
    file: "season/rating/Installing.ts",
    find: "rating.round === course.round",
    replace: "true"
  },
  foldForgetsTheOpponents: {
    file: "season/rating/Installing.ts",
    find: "round_matches: played, met, history",
    replace: "round_matches: played, history"
  },
  foldKeepsTheHistory: {
    file: "season/rating/Histories.ts",
    find: "if (each.mu !== undefined) due.push(each.mu)",
    replace: "if (each.mu !== undefined) due.push(history[history.length - known] ?? each.mu)"
  },
  voidKeepsTheTrend: {
    file: "season/rating/Installing.ts",
    find: "Object.assign(rating, { mu, sigma, trend, forfeits",
    replace: "Object.assign(rating, { mu, sigma, forfeits"
  },
  voidKeepsWhatWasTakenOver: {
    file: "season/rating/Fold.ts",
    find: "const rating = takenOver(courseOf(to, seed.ladder, seed.of, seed.round), startIn(to.starts, seed.round, seed.ladder))",
    replace: "const rating = { mu: seed.mu, sigma: seed.sigma }"
  },
  voidedNumbersAreGivenAgain: {
    file: "season/scheduler/MatchEnd.ts",
    find: "state.rated + state.voided : null",
    replace: "state.rated : null"
  },
  // fill, fleets, places, the series, settings and the log
  fillOverflowsItsHour: { file: "season/scheduler/PairingBatches.ts", find: "made >= max_per_hour", replace: "made > max_per_hour" },
  fillIsNotCounted: { file: "season/scheduler/PairingBatches.ts", find: "state.fill_made = made + 1", replace: "state.fill_made = made" },
  finalsAreFilled: { file: "season/scheduler/PairingBatches.ts", find: "!enabled || isFinals(state)", replace: "!enabled" },
  fillsUnasked: {
    file: "season/scheduler/PairingBatches.ts",
    find: "!enabled || isFinals(state)",
    replace: "isFinals(state)"
  },
  anyFleetPlays: {
    file: "season/scheduler/Leases.ts",
    find: "command.matches && mayServe(settings.fleet.matches, fleet)",
    replace: "command.matches"
  },
  anyFleetExamines: {
    file: "season/scheduler/Leases.ts",
    find: "command.admissions && mayServe(settings.fleet.admissions, fleet)",
    replace: "command.admissions"
  },
  refusalIsNotConfirmed: {
    file: "season/entry/SecondOpinion.ts",
    find: "!again && hasOther(heardExaminers(state), state.reviews, judges)",
    replace: "false"
  },
  judgesAgainAtOnce: { file: "season/entry/SecondOpinion.ts", find: "now < each.at + OPINION_MS", replace: "now < each.at" },
  failureIsNotConfirmed: {
    file: "season/scheduler/StruckOut.ts",
    find: "?.trial_failed === 0 && hasOther(heardKeys(state), state.live, [key])",
    replace: "?.trial_failed === -1"
  },
  failedIsPlayedAgainBySame: {
    file: "season/scheduler/Tries.ts",
    find: "reason === STRUCK_OUT ? OPINION_MS : LEASE_AGAIN_MS)",
    replace: "reason === STRUCK_OUT ? 0 : LEASE_AGAIN_MS)"
  },
  opinionIsNotWritten: {
    file: "season/entry/Reviews.ts",
    find: "  if (review.until === null) changed(state, review)\n  else requeueReview(state, review)",
    replace: "  review.until = null"
  },
  placeOfTheBestIsZero: { file: "pairing/Ranks.ts", find: "this.#size - atMost + 1", replace: "this.#size - atMost" },
  tiesStandInFront: { file: "pairing/Ranks.ts", find: "let i = stepOf(mu); i > 0", replace: "let i = stepOf(mu) - 1; i > 0" },
  whoLeavesKeepsAPlace: {
    file: "season/rating/LadderEntries.ts",
    find: "    ladder.ranks.remove(rating.mu)\n    remove(",
    replace: "    remove("
  },
  podiumWithoutTheBest: { file: "season/rating/Podium.ts", find: ".slice(0, PODIUM)", replace: ".slice(1, PODIUM + 1)" },
  baselineOnThePodium: {
    file: "season/rating/Podium.ts",
    find: "        .filter(({ version }) => state.versions_by_id.get(version)!.owner !== null)\n",
    replace: ""
  },
  seriesUpsideDown: { file: "season/rating/Series.ts", find: "bestFirst(ladder)", replace: "bestFirst(ladder).toReversed()" },
  seriesForgetsVoids: { file: "season/rating/Series.ts", find: "rated + 2 * voided", replace: "rated + 0 * voided" },
  seriesStopsBeforeTheClose: { file: "season/clock/Closing.ts", find: "  takeSeries(state)\n", replace: "" },
  seriesEveryTenMinutes: { file: "season/rating/Series.ts", find: "INTERVAL_MS_MIN = 60_000", replace: "INTERVAL_MS_MIN = 600_000" },
  editForgetsTheRest: {
    file: "season/Editing.ts",
    find: "fill: { ...settings.fill, ...fill }",
    replace: "fill: { ...settings.fill, max_per_hour: null, ...fill }"
  },
  boardsAreNotLogged: {
    file: "season/Administration.ts",
    find: "{ file })\n  logged(state, audit)\n",
    replace: "{ file })\n"
  },
  // every match, every game
  cancelledVanishes: {
    file: "season/scheduler/MatchEnd.ts",
    find: "  state.writes.ended.push(endedRow(state, match, how))\n",
    replace: '  if (how.ending !== "cancelled") state.writes.ended.push(endedRow(state, match, how))\n'
  },
  openAloneIsRated: {
    file: "season/scheduler/Results.ts",
    find: "match.ladder !== null && match.round === state.round\n  const seats",
    replace: 'match.ladder === "open" && match.round === state.round\n  const seats'
  },
  oneGameTooFew: { file: "season/Ladders.ts", find: "currentRound(state)!.games", replace: "currentRound(state)!.games - 1" },
  startsWithABaselineThatIsOff: {
    file: "season/scheduler/Requeueing.ts",
    find: 'if (version.status === "disabled") return',
    replace: 'if (version.status === "rejected") return'
  }
}
