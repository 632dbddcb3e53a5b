/** The whole API. `Boundary` comes last: a middleware covers only the groups added before it. */
import { HttpApi, OpenApi } from "effect/http-api"
import { AccountGroup } from "./account/api.ts"
import { DeviceGroup } from "./account/device.ts"
import { AdminGroup } from "./admin/api.ts"
import { PlatformGroup } from "./admin/platform.ts"
import { Boundary } from "./Boundary.ts"
import { BoardAdminGroup } from "./board/admin.ts"
import { BoardGroup } from "./board/api.ts"
import { CommunityGroup } from "./comment/api.ts"
import { ModerationGroup } from "./comment/moderation.ts"
import { documented } from "./Documentation.ts"
import { DatasetGroup } from "./dataset/api.ts"
import { GameGroup } from "./game/api.ts"
import { LeaderboardGroup } from "./leaderboard/api.ts"
import { MatchAdminGroup } from "./match/admin.ts"
import { MatchGroup } from "./match/api.ts"
import { ModelGroup } from "./model/api.ts"
import { MailGroup, NotificationGroup } from "./notification/api.ts"
import { PlatformNoticeGroup } from "./notification/platformNotices.ts"
import { SeasonWebhookGroup } from "./notification/seasonWebhooks.ts"
import { WebhookGroup } from "./notification/webhooks.ts"
import { FleetGroup } from "./runner/api.ts"
import { RunnerGroup } from "./runner/protocol.ts"
import { SeasonFleetGroup } from "./runner/season.ts"
import { SeasonEditingGroup, SeasonSteeringGroup } from "./season/administration.ts"
import { SeasonGroup } from "./season/api.ts"
import { CoincidenceGroup } from "./season/coincidences.ts"
import { SeasonCreationGroup } from "./season/creation.ts"
import { NoticeGroup } from "./season/notices.ts"
import { RosterGroup, SeasonAdminsGroup } from "./season/people.ts"
import { RoundGroup } from "./season/rounds.ts"
import { SubmissionGroup } from "./submission/api.ts"
import { BaselineGroup } from "./submission/baselines.ts"
import { VersionAdminGroup } from "./version/admin.ts"
import { VersionGroup } from "./version/api.ts"
import { ViewAdminGroup, ViewGroup } from "./view/api.ts"
import { WritingGroup } from "./writing/api.ts"
import { EditorialGroup } from "./writing/editorial.ts"
import { PickAdminGroup, PickGroup } from "./writing/picks.ts"

export class Api extends HttpApi.make("agon")
  .add(AccountGroup)
  .add(DeviceGroup)
  .add(AdminGroup)
  .add(GameGroup)
  .add(SeasonGroup)
  .add(DatasetGroup)
  .add(BoardGroup)
  .add(LeaderboardGroup)
  .add(ModelGroup)
  .add(VersionGroup)
  .add(SubmissionGroup)
  .add(MatchGroup)
  .add(SeasonCreationGroup)
  .add(SeasonEditingGroup)
  .add(SeasonSteeringGroup)
  .add(RoundGroup)
  .add(RosterGroup)
  .add(SeasonAdminsGroup)
  .add(NoticeGroup)
  .add(CoincidenceGroup)
  .add(SeasonFleetGroup)
  .add(BoardAdminGroup)
  .add(BaselineGroup)
  .add(VersionAdminGroup)
  .add(MatchAdminGroup)
  .add(CommunityGroup)
  .add(WritingGroup)
  .add(EditorialGroup)
  .add(ModerationGroup)
  .add(NotificationGroup)
  .add(MailGroup)
  .add(WebhookGroup)
  .add(SeasonWebhookGroup)
  .add(PickGroup)
  .add(ViewGroup)
  .add(PickAdminGroup)
  .add(PlatformNoticeGroup)
  .add(ViewAdminGroup)
  .add(PlatformGroup)
  .add(FleetGroup)
  .add(RunnerGroup)
  .middleware(Boundary)
  .annotateMerge(
    OpenApi.annotations({
      title: "Agon",
      version: "1",
      transform: (document): Record<string, any> => documented(Api as unknown as HttpApi.Top, document)
    })
  ) {}
