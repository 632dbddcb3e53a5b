/**
 * The description of each operation, by the endpoint's name; operations.ts adds who may call it, how large
 * its body may be, and how often. `privatePodium` is described as `podium` is.
 */
export const descriptions: Readonly<Record<string, string>> = {
  authProviders: "Lists the providers that a visitor can sign in with, in the order in which a page should show them.",
  signIn:
    "Sends the browser on to the provider's own sign-in page, and remembers in a cookie of its own where to return to. A session that the browser has already links the new identity to its account.",
  signInCallback:
    "The provider sends the browser here. Answers with a redirect: to `return_to` with a session in the cookie `service_session`, or to `/?sign_in_error=<code>` without one.",
  beginDeviceSignIn:
    "Makes two codes for a device without a browser: one that it keeps, and one that it shows to a person together with `verification_uri`. Both end after `expires_in` seconds.",
  completeDeviceSignIn:
    "The device asks every `interval` seconds. Once a person has approved it answers with a session in the cookie `service_session` and that person's account, and the codes are used up.",
  deviceSignIn:
    "Answers the device that shows this code, so that a person sees what they would approve. Five wrong codes a minute are 429.",
  decideDeviceSignIn:
    "Lets the device have a session of the caller's, or refuses it one. An approval can be taken back until the device has its session.",
  me: "Answers the account behind the session, with its identities, its bio and the seasons that it administers.",
  editMe: "Changes the display name, the bio, or both; a key that is left out stays. Answers the account.",
  sessions: "Lists the sessions of the account that have not ended, newest first, with the browser each was opened from.",
  revokeSession: "Ends one session of the account at once, the caller's own included. Answers the session that was ended.",
  signOut: "Ends the session of this request and clears its cookie. Answers nothing.",
  profile: "Answers a competitor's name and bio, their models, and the rank of each in every public season it plays in.",
  status:
    "Answers counts of the platform at this moment: runners, queued and running matches, live seasons. Private seasons are left out. Never cached.",
  adminCheck:
    "Answers 200 to platform administrators and 401 or 403 to everybody else, so that a reverse proxy can guard other pages with it.",
  games: "Lists the games that this service is built with, each with its featured season.",
  game: "Answers one game with its featured season: its name, its rules in a sentence, how many seats it has, and the digest of its engine.",
  seasons: "Lists the public seasons of a game, newest first.",
  season: "Answers one season of a game: its times, rules, weight classes, boards and baselines in figures, and its rounds.",
  podium:
    "Answers the three best versions of every ladder of a season. Until the season is closed they change as ratings move; then they are frozen.",
  playing: "Counts the matches of a season that runners play at this moment. Never cached.",
  datasets:
    "Lists the files with the matches of each UTC day of a public season, oldest first. A file never changes. Private seasons have none and answer 404, to whoever asks.",
  boards: "Lists all boards of a season in the order in which they were added. Their files come along where `boards=true` asks for them.",
  board: "Answers one board of a season with its file and the periods in which it was in play.",
  leaderboard:
    "Lists the versions that stand on a ladder, the highest rating first, with their ranks, ratings and recent course. With `name`, those alone whose model's name or owner's username begins so.",
  series:
    "Answers how ranks and ratings of the best fifty versions went, at 48 points from the opening of the season to now or to its close.",
  matrix:
    "Answers how the models of the top of a ladder did against each other in the season: wins, draws and losses in counted matches, whichever ladder they were made for, by all their versions.",
  createModel: "Makes a model in a game. A model has a name and an owner; its versions are submitted afterwards. Answers the model.",
  ownModels: "Lists the models of the caller, newest first, retired ones included.",
  model:
    "Answers a model with every version of it that anybody may see, newest first. An id that no model has answers `null` with status 200.",
  editModel: "Renames a model, or retires it. A retired model takes no submissions; its entered version plays on. Answers the model.",
  modelSeason: "Answers a model's rank in a season, its rank a week ago, and its best, worst and latest matches on a ladder.",
  modelMaps:
    "Answers how a model did on each board of a season: its counted matches there, and the means of its rank, its score and the change of its rating.",
  rivals:
    "Lists every model that this one has met in counted matches of the seasons that are shown, with wins, draws and losses. Those met most are first.",
  version:
    "Answers a version that is entered, superseded, disabled or disqualified in a public season. A version in any other state, or in a private season, answers 404.",
  ownVersion: "Answers a version of the caller in whatever state it is, with the sentence that says what to mend where it was rejected.",
  editVersion: "Changes the note of a version; `null` removes it. The rules of the season say how long a note may be. Answers the version.",
  candidates: "Lists the versions of the caller that are still being uploaded, reviewed or tried, newest first.",
  preflight:
    "Answers whether a submission would be accepted now: how many models and versions the caller holds of how many, and the refusals that a submission would get, in their order.",
  submit:
    "Enters a version by the hashes of its two files, and answers where to upload them. The review starts when both have arrived. The same two hashes again answer 200 with the same version, and fresh upload addresses.",
  reenter:
    "Enters the version that a model has, or last had, in one season into another season of the game, with the same files. Nothing is uploaded; the review runs again by the rules of the new season.",
  matches:
    "Lists matches that have been played and rated, and trials that were passed, by any mixture of filters. Unknown ids give an empty list.",
  match: "Answers one match with all its seats, their ratings' changes, and a signed address of its replay.",
  frame: "Answers the last state of a match: the score and rank of each seat, and the engine's picture of the board.",
  related: "Lists up to twelve other counted matches: first between the same models, then of one of them, then on the same board.",
  ownMatch: "Answers a match in which a model of the caller has a seat, in whatever state it is. `mine` marks the caller's seats.",
  ownMatches: "Lists the matches in which models of the caller have seats, in every state, newest first.",
  thread: "Answers the comments on a match or a model, oldest first. Name one of the two. A thread that nobody has started is empty.",
  postComment:
    "Adds a comment to the thread of a match or a model, or a reply to a comment in it. Comments of an account that has none approved yet wait for a moderator. Answers the comment.",
  deleteComment:
    "Deletes a comment of the caller. Where others have read it, its place stays without the text. Answers what is left of it.",
  reportComment:
    "Tells the moderators why a comment should be looked at. Each account reports a comment once; a second report answers the first.",
  pendingComments: "Lists the comments of the caller that wait for a moderator, newest first.",
  profileComments: "Lists the published comments of a competitor in public threads, newest first.",
  moderatedComments: "Lists the comments that wait for approval, or those that were reported, oldest first.",
  moderateComment: "Approves a comment, which also dismisses its reports, or removes it. Answers the comment.",
  moderatedThreads: "Lists every thread that somebody has started, newest first.",
  lockThread: "Locks a thread, so that nothing can be added to it, or opens it again. Answers the thread.",
  announcements: "Lists the announcements that are to be shown at this moment, the one that started last first.",
  feed: "Lists published posts and featured stories in one feed, newest first.",
  post: "Answers a published post. A draft, or a post whose time has not come, answers 404.",
  story: "Answers the approved story of a model. Where no text was approved, or there is no such model, the answer is 404.",
  writeStory:
    "Writes the story of a model. With `submit` the text goes to a moderator; without it, it stays a draft. Answers the owner's text.",
  ownStory: "Answers the latest text that the owner wrote about a model, with its state. A model without one has an empty draft.",
  allAnnouncements: "Lists all announcements, those of the past and to come included.",
  announce: "Makes an announcement that is shown from `starts_at`, or at once, until `ends_at`. Answers the announcement.",
  editAnnouncement: "Changes an announcement; a key that is left out stays. Answers the announcement.",
  removeAnnouncement: "Removes an announcement for good. Answers the announcement that was removed.",
  allPosts: "Lists all posts, newest first, drafts included.",
  addPost: "Makes a post of the site's blog. It is a draft until `published_at` names a time that has come. Answers the post.",
  editPost: "Changes a post; a key that is left out stays. A `published_at` of `null` makes it a draft again. Answers the post.",
  removePost: "Removes a post for good. Answers the post that was removed.",
  submittedStories: "Lists the stories that wait for a moderator, oldest first, or the approved ones, newest first.",
  decideStory:
    "Approves or rejects the text that an owner submitted, and features it in the feed or not. `updated_at` names the text that was read; another text since then answers 409.",
  audit: "Lists the administrative writes of every season and of the platform, newest first, with who made them.",
  users: "Lists accounts, newest first, or those whose username, display name or login begins with `q`.",
  editUser:
    "Makes an account a platform administrator or takes that away, or suspends it. A suspension ends every session of the account and takes its entered versions out of play; they play again when it ends. Answers the account.",
  words: "Lists the words that notes, bios, comments and stories may not contain, in alphabetical order.",
  addWord: "Adds a word to the list. It holds for every text that is sent from now on. A word that is there already answers its row.",
  removeWord: "Takes a word off the list. Answers the row that was removed.",
  notifications: "Lists the notifications of the caller, newest first; the newest thousand can be paged to.",
  markRead: "Marks notifications as read: those with the given ids, or all of them. Answers how many had not been read before.",
  notificationSettings: "Answers for each kind of notification whether the caller receives it.",
  changeNotificationSettings:
    "Turns kinds of notifications on or off; a kind that is left out stays. Notices of the platform cannot be turned off. Answers all settings.",
  unsubscribePage:
    "Shows a person who follows the link in a mail a page with a button that posts to the same address. Ends nothing, and is the same for every token.",
  unsubscribe:
    "Ends the e-mail of an account, by the token in the List-Unsubscribe address of one of its mails (RFC 8058). Wants no session, and takes any body. Who accepts `text/html` is answered with a page.",
  webhooks: "Lists the addresses that the caller's notifications are posted to, the oldest first, and how the last attempt went.",
  createWebhook:
    "Has the caller's notifications posted to an address from now on. Answers the webhook with the secret that signs what is posted, this once.",
  editWebhook:
    "Changes the address of a webhook, or switches it off or on. Whatever waits for one that is switched off is told no more. Answers the webhook.",
  rotateWebhook: "Gives a webhook another secret, which signs everything from now on. Answers the webhook with the secret, this once.",
  webhookDeliveries: "Lists the last twenty attempts to tell a webhook something, the newest first, and how each went.",
  removeWebhook: "Removes a webhook; nothing more is posted to it. Answers the webhook that was removed.",
  testWebhook: "Has a test posted to the webhook soon, once. One that was switched off is on again. Answers the webhook.",
  seasonWebhooks:
    "Lists the addresses that the season's events are posted to, the oldest first, with who made each and how the last attempt went.",
  createSeasonWebhook:
    "Has the season's events posted to an address from now on, for as long as the caller administers the season. Answers the webhook with the secret that signs what is posted, this once.",
  editSeasonWebhook:
    "Changes the address of a season's webhook, or switches it off or on. Whatever waits for one that is switched off is told no more. Answers the webhook.",
  removeSeasonWebhook: "Removes a season's webhook; nothing more is posted to it. Answers the webhook that was removed.",
  rotateSeasonWebhook:
    "Gives a season's webhook another secret, which signs everything from now on. Answers the webhook with the secret, this once.",
  testSeasonWebhook: "Has a test posted to a season's webhook soon, once. One that was switched off is on again. Answers the webhook.",
  seasonWebhookDeliveries: "Lists the last twenty attempts to tell a season's webhook something, the newest first, and how each went.",
  picks: "Lists the matches of a game that administrators recommend, newest first.",
  allPicks: "Lists the recommended matches of every game, newest first.",
  pick: "Recommends a match that counts, of a public season, with a note that says why it is worth watching. Answers the pick.",
  unpick: "Takes a recommendation back. Answers the pick that was removed.",
  platformNotices: "Lists the notices that were sent to every account, newest first.",
  notifyEverybody: "Sends a notification to every account; nobody can turn these off. Answers the notice and how many received it.",
  countView:
    "Counts one view of a page. Nothing is kept of who looked. An id that names nothing is not counted, and answered the same. Answers nothing.",
  views: "Lists how often pages were viewed on each day, the newest day first, and within a day the page with most views first.",
  coincidences:
    "Lists results in a season that agree more than chance allows: pairs of owners of whom one had more points from the other than the ratings say, owners who do better or worse against everybody else where a certain other has a seat, and versions of different owners with the same network. It accuses nobody and nothing follows from it; an administrator looks at the matches. It is computed from the latest 100,000 rated matches and is at most five minutes old.",
  seasonVersions:
    "Lists versions of a season, newest first: those that are still being uploaded, reviewed or tried, with what each waits for, those in contention, those of them that are suspended, or those that are out of play by decision or because their owner is. `name` finds them by their model or owner.",
  disqualifyVersion:
    "Takes an entered version out of play: it leaves its ladders and podiums, its queued matches are withdrawn, and its owner is notified with the reason. Ratings stay as they are. With `void_matches` all its counted matches are voided besides, in the background. A version that is disqualified already is answered in the same way, and nothing changes but for the voids that are asked for. Answers the version.",
  reinstateVersion:
    "Lets an entered version play again that was suspended, because its matches kept failing, or disqualified. If a newer version of the model plays, a disqualified one becomes superseded. Any other version stays as it is. Answers the version.",
  voidMatch:
    "Takes a match that was played out of its season: it fails as `replay_mismatch` with the reason as its detail, no longer counts, and its seats are owed another. Ratings are computed again as if it had not been played; meanwhile the state is `voiding`. A match that was voided before is answered in the same way, and nothing changes. Answers the match and its state.",
  createSeason:
    "Makes a season of a game with its rules, weight classes and fleet. Rules that are left out have their defaults. Without `slug` the name makes one. Answers the season.",
  editSeason:
    "Changes the times, rules or weight classes of a season that has not opened; a key that is left out stays. Answers the season.",
  narrowEntry: "Restricts entry to the roster, for good. It works once, while the season is scheduled and public. Answers the season.",
  closeSeason:
    "Asks for the end of a season. Matches being played get up to 60 s. The podium is frozen when the replays of all results are checked, 30 s later at most. A second request answers the time of the first. Answers the season.",
  featureSeason: "Makes a public season the one that its game shows where no season is named. Answers the season.",
  changeFleet:
    "Says whether the season's own runners, those of the platform, or both play its matches and examine its models. Answers the season.",
  changeFill: "Says whether idle runners play extra counted matches while no entry is owed any, and how many an hour. Answers the season.",
  rounds: "Lists the rounds of a season in their order, with those that were withdrawn.",
  planRound:
    "Plans a round, or the finals. When it starts, all ratings of the season begin anew and each entry is owed so many games. Answers the round.",
  patchRound: "Changes the games or the start of a round that has not started, or withdraws it. Answers the round.",
  participants: "Lists the logins that may enter a restricted season, or those that contain `login`, with the account behind each.",
  addParticipants:
    "Adds up to 1,000 logins of a sign-in provider to the roster. Answers their rows, those included that were there already.",
  removeParticipant:
    "Takes a login off the roster, by the id of its row. In a restricted season its entered versions are out of play until it is back. Answers the row that was removed.",
  seasonAdmins: "Lists the accounts that administer a season.",
  appointAdmin: "Makes an account an administrator of a season. An account that is one already answers its row.",
  dismissAdmin: "Takes the administration of a season from an account. Answers the row that was removed.",
  notices: "Lists the notices that were sent to the participants of a season, newest first.",
  notify:
    "Sends a notification to the accounts on the roster of a season and to the owners of versions in it. Answers the notice and how many received it.",
  seasonAudit: "Lists the administrative writes of one season, newest first, with who made them.",
  seasonKeys: "Lists the runner keys of a season with their runners, and whether runners can examine the versions that wait.",
  createSeasonKey: "Makes a key for runners that serve this season alone. The secret is answered once and never again.",
  revokeSeasonKey: "Revokes a runner key. Leases of its runners end at once and their matches go back to the queue. Answers the key.",
  stopSeasonRunner: "Drains a runner of the season: it gets no new lease and finishes its matches. Answers the runner.",
  addBoard:
    "Adds a board to a season; the body is the board file itself. The board is out of play until it is switched on. Answers its row.",
  switchBoard: "Brings a board into play, or takes it out; matches queued on a board that is out are withdrawn. Answers its row.",
  importBoards:
    "Copies boards of another season of the game into this one, out of play. Answers which were copied, and which were not and why.",
  baselines: "Lists the baselines of a season: models without an owner that the administrators brought in.",
  recordBaseline:
    "Records a baseline by a name and the hashes of its two files, and answers where to upload them. It is out of play until switched on.",
  switchBaseline: "Brings an admitted baseline into play, or takes it out of play. Answers the baseline.",
  importBaselines:
    "Brings in baselines of another season of the game, out of play; their files are reviewed again by this season's rules. Answers which were brought in, and which were not and why.",
  keys: "Lists the runner keys of the platform with their runners.",
  createKey: "Makes a key for runners that serve any season. The secret is answered once and never again.",
  revokeKey: "Revokes a runner key. Leases of its runners end at once and their matches go back to the queue. Answers the key.",
  runners: "Lists the runners of the platform, with their engines and how many leases each holds.",
  stopRunner: "Drains a runner: it gets no new lease and finishes its matches. Answers the runner.",
  openSession:
    "Registers a runner: the engines it has, the kinds of work it takes, and how many leases it holds at once. Answers its id and how often to send a heartbeat.",
  closeSession:
    "Ends a runner's session: the runner is gone at once, and what it holds returns to the queue. A repeated request changes nothing.",
  lease:
    "Reports results of finished leases and asks for new ones in one request. The connection is held until there is work, for `wait_s` at most. Answers the leases, and what became of each result.",
  heartbeat: "Prolongs the leases that are named. Answers for each when it ends now, or that it is lost.",
  result:
    "Reports the result of one lease. A repeated report answers as the first did. Answers whether the result is accepted, and if not why.",
  release: "Gives a lease back unfinished; its match returns to the queue. The body is an empty object."
}
