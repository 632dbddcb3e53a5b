/** Every service of the program, over the database, the object store and the cluster. The needs of a feature are in its layer. */
import { Layer } from "effect"
import { Accounts } from "./account/Accounts.ts"
import { DeviceSignIns } from "./account/device/DeviceSignIns.ts"
import { Ongoing } from "./account/level/Ongoing.ts"
import { Words } from "./account/Words.ts"
import { OpenSeasons } from "./actor/OpenSeasons.ts"
import * as SeasonActors from "./actor/SeasonActors.ts"
import * as SeasonEventsBroadcast from "./actor/SeasonEventsBroadcast.ts"
import * as SeasonStorePg from "./actor/store/SeasonStorePg.ts"
import { Takeovers } from "./actor/Takeovers.ts"
import { PlatformStatus } from "./admin/PlatformStatus.ts"
import { Users } from "./admin/Users.ts"
import { WordList } from "./admin/WordList.ts"
import { AuditTrail } from "./audit/AuditTrail.ts"
import { BoardAdmin } from "./board/BoardAdmin.ts"
import { Boards } from "./board/Boards.ts"
import { Comments } from "./comment/Comments.ts"
import { Moderation } from "./comment/Moderation.ts"
import { Threads } from "./comment/Threads.ts"
import { Datasets } from "./dataset/Datasets.ts"
import { Games } from "./game/Games.ts"
import * as JoinedLookups from "./JoinedLookups.ts"
import { Leaderboards } from "./leaderboard/Leaderboards.ts"
import { SeatIndexes } from "./match/list/SeatIndexes.ts"
import { TallySweep } from "./match/list/TallySweep.ts"
import { MatchAdmin } from "./match/MatchAdmin.ts"
import { Matches } from "./match/Matches.ts"
import { MatchVoiding } from "./match/MatchVoiding.ts"
import { Replays } from "./match/Replays.ts"
import { Models } from "./model/Models.ts"
import { RivalSweep } from "./model/RivalSweep.ts"
import { AnsweredMessages } from "./node/AnsweredMessages.ts"
import { Broadcast } from "./node/Broadcast.ts"
import * as CachePurges from "./node/CachePurges.ts"
import { Mailboxes } from "./notification/mail/Mailboxes.ts"
import { Notifications } from "./notification/Notifications.ts"
import { PlatformNotices } from "./notification/PlatformNotices.ts"
import { SeasonWebhooks } from "./notification/webhook/SeasonWebhooks.ts"
import { Webhooks } from "./notification/webhook/Webhooks.ts"
import { Room } from "./object/Room.ts"
import { StoredObjects } from "./object/StoredObjects.ts"
import { Parking } from "./parking/Parking.ts"
import { Dispatcher } from "./runner/dispatch/Dispatcher.ts"
import { HeldLeases } from "./runner/dispatch/HeldLeases.ts"
import { SeasonCalls } from "./runner/dispatch/SeasonCalls.ts"
import { FleetAdmin } from "./runner/fleet/FleetAdmin.ts"
import { SeasonFleet } from "./runner/fleet/SeasonFleet.ts"
import * as MakersKeys from "./runner/key/makersKeysLayer.ts"
import { RunnerKeys } from "./runner/key/RunnerKeys.ts"
import { FinalsReplays } from "./runner/result/FinalsReplays.ts"
import { ReplayUploads } from "./runner/result/ReplayUploads.ts"
import { Runners } from "./runner/session/Runners.ts"
import { LeasePayloads } from "./runner/work/LeasePayloads.ts"
import { ReplayAudits } from "./runner/work/ReplayAudits.ts"
import { Coincidences } from "./season/Coincidences.ts"
import { Notices } from "./season/Notices.ts"
import { OwnerChecks } from "./season/OwnerChecks.ts"
import { Rounds } from "./season/Rounds.ts"
import { SeasonAdministration } from "./season/SeasonAdministration.ts"
import { SeasonMaker } from "./season/SeasonMaker.ts"
import { SeasonPeople } from "./season/SeasonPeople.ts"
import { Seasons } from "./season/Seasons.ts"
import { Baselines } from "./submission/Baselines.ts"
import { Submissions } from "./submission/Submissions.ts"
import { UploadWatch } from "./submission/UploadWatch.ts"
import { Forecasts } from "./version/Forecasts.ts"
import { VersionAdmin } from "./version/VersionAdmin.ts"
import { Versions } from "./version/Versions.ts"
import { VoidOrders } from "./version/VoidOrders.ts"
import { Views } from "./view/Views.ts"
import { Announcements } from "./writing/Announcements.ts"
import { Picks } from "./writing/Picks.ts"
import { Posts } from "./writing/Posts.ts"
import { Stories } from "./writing/Stories.ts"
import { StoryFeed } from "./writing/StoryFeed.ts"

/** Known to everybody: the other nodes, the cache that writes purge, the seasons that are played, the requests that wait for work. */
const Commons = Layer.mergeAll(CachePurges.layer, OpenSeasons.layer, Parking.layer, Room.layer, StoredObjects.layer, Words.layer).pipe(
  Layer.provideMerge(Ongoing.layer),
  Layer.provideMerge(Broadcast.layer)
)

/** The seasons themselves: their actors, the rows they write, and whom they tell. */
const Machines = Layer.merge(Takeovers.layer, AnsweredMessages.layer).pipe(
  Layer.provideMerge(SeasonActors.layer),
  Layer.provideMerge(SeasonStorePg.layer),
  Layer.provideMerge(SeasonEventsBroadcast.layer)
)

const Reads = Layer.mergeAll(
  Boards.layer,
  Datasets.layer,
  Games.layer,
  Leaderboards.layer,
  Matches.layer.pipe(Layer.provide(Replays.layer)),
  Models.layer,
  RivalSweep.layer,
  SeatIndexes.layer,
  TallySweep.layer,
  Forecasts.layer,
  PlatformStatus.layer
).pipe(Layer.provideMerge(Versions.layer), Layer.provideMerge(Seasons.layer))

const Play = Layer.mergeAll(
  Layer.merge(Dispatcher.layer, HeldLeases.layer).pipe(
    Layer.provideMerge(ReplayAudits.layer),
    Layer.provide(SeasonCalls.layer),
    Layer.provide(FinalsReplays.layer),
    Layer.provide(LeasePayloads.layer),
    Layer.provideMerge(Runners.layer),
    Layer.provideMerge(MatchVoiding.layer),
    Layer.provideMerge(ReplayUploads.layer)
  ),
  OwnerChecks.layer,
  MakersKeys.layer.pipe(Layer.provideMerge(RunnerKeys.layer)),
  Submissions.layer,
  Baselines.layer,
  BoardAdmin.layer,
  SeasonMaker.layer,
  UploadWatch.layer
)

/** Administration of a season besides its boards and baselines. */
const Administration = Layer.mergeAll(
  Coincidences.layer,
  MatchAdmin.layer,
  Notices.layer,
  Rounds.layer,
  SeasonAdministration.layer,
  Layer.merge(FleetAdmin.layer, SeasonFleet.layer).pipe(Layer.provide(RunnerKeys.layer)),
  SeasonPeople.layer,
  VersionAdmin.layer.pipe(Layer.provideMerge(VoidOrders.layer))
)

const Community = Layer.mergeAll(Comments.layer, Moderation.layer, Threads.layer)

/** The platform's own administration. */
const Platform = Layer.mergeAll(AuditTrail.layer, DeviceSignIns.layer, Users.layer, WordList.layer)

const Writing = Layer.mergeAll(Announcements.layer, Posts.layer, Stories.layer, StoryFeed.layer)

/** Notifications, their mailboxes and webhooks, picks, and counts of views. */
const Audience = Layer.mergeAll(
  Mailboxes.layer,
  Notifications.layer,
  Picks.layer,
  PlatformNotices.layer,
  SeasonWebhooks.layer,
  Views.layer,
  Webhooks.layer
)

export const Services = JoinedLookups.layer.pipe(
  Layer.provideMerge(Layer.merge(Community, Writing)),
  Layer.provideMerge(Platform),
  Layer.provideMerge(Audience),
  Layer.provideMerge(Administration),
  Layer.provideMerge(Play),
  Layer.provideMerge(Reads),
  Layer.provideMerge(Accounts.layer),
  Layer.provideMerge(Machines),
  Layer.provideMerge(Commons)
)
