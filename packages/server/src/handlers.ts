/** The handlers of every group of the API: a group that is missing here does not compile (Http.ts, `makeRoutes`). */
import { Layer } from "effect"
import type { HttpRouter } from "effect/http"
import { DeviceHandlers } from "./account/device/deviceHttp.ts"
import { AccountHandlers } from "./account/http.ts"
import { AdminHandlers } from "./admin/http.ts"
import { PlatformHandlers } from "./admin/platformHttp.ts"
import { BoardAdminHandlers } from "./board/adminHttp.ts"
import { BoardHandlers } from "./board/http.ts"
import { CommunityHandlers } from "./comment/http.ts"
import { ModerationHandlers } from "./comment/moderationHttp.ts"
import { DatasetHandlers } from "./dataset/http.ts"
import { GameHandlers } from "./game/http.ts"
import { LeaderboardHandlers } from "./leaderboard/http.ts"
import { MatchAdminHandlers } from "./match/adminHttp.ts"
import { MatchHandlers } from "./match/http.ts"
import { ModelHandlers } from "./model/http.ts"
import { NotificationHandlers } from "./notification/http.ts"
import { SeasonWebhookHandlers } from "./notification/webhook/seasonWebhookHttp.ts"
import { WebhookHandlers } from "./notification/webhook/webhookHttp.ts"
import { FleetHandlers, RunnerHandlers } from "./runner/http.ts"
import { SeasonFleetHandlers } from "./runner/seasonHttp.ts"
import { SeasonAdministrationHandlers } from "./season/administrationHttp.ts"
import { CoincidenceHandlers } from "./season/coincidencesHttp.ts"
import { SeasonCreationHandlers } from "./season/creationHttp.ts"
import { SeasonHandlers } from "./season/http.ts"
import { NoticeHandlers } from "./season/noticesHttp.ts"
import { SeasonPeopleHandlers } from "./season/peopleHttp.ts"
import { RoundHandlers } from "./season/roundsHttp.ts"
import { BaselineHandlers } from "./submission/baselinesHttp.ts"
import { SubmissionHandlers } from "./submission/http.ts"
import { VersionAdminHandlers } from "./version/adminHttp.ts"
import { VersionHandlers } from "./version/http.ts"
import { ViewHandlers } from "./view/http.ts"
import { EditorialHandlers } from "./writing/editorialHttp.ts"
import { WritingHandlers } from "./writing/http.ts"
import { PickHandlers } from "./writing/pickHttp.ts"

const All = Layer.mergeAll(
  AccountHandlers,
  AdminHandlers,
  BaselineHandlers,
  BoardAdminHandlers,
  BoardHandlers,
  CoincidenceHandlers,
  CommunityHandlers,
  DatasetHandlers,
  DeviceHandlers,
  EditorialHandlers,
  FleetHandlers,
  GameHandlers,
  LeaderboardHandlers,
  MatchHandlers,
  ModelHandlers,
  ModerationHandlers,
  NoticeHandlers,
  NotificationHandlers,
  PickHandlers,
  PlatformHandlers,
  RoundHandlers,
  RunnerHandlers,
  SeasonAdministrationHandlers,
  SeasonCreationHandlers,
  SeasonFleetHandlers,
  SeasonHandlers,
  SeasonPeopleHandlers,
  SeasonWebhookHandlers,
  SubmissionHandlers,
  MatchAdminHandlers,
  VersionAdminHandlers,
  VersionHandlers,
  ViewHandlers,
  WebhookHandlers,
  WritingHandlers
)

/** Services that handlers would take from the context of each request, which has only those of middlewares (http/group.ts). */
type AtRequest = HttpRouter.Request.Only<"Requires", Layer.Services<typeof All>>

/** Does not compile where a handler takes a service from its requests, not where it is made. */
export const Handlers: [AtRequest] extends [never] ? typeof All : AtRequest = All
