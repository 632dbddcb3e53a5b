/** Every page of the site, by features. */
import { oneComment } from "./account/comment.ts"
import { myComments } from "./account/comments.ts"
import { device } from "./account/device.ts"
import { me } from "./account/me.ts"
import { notificationList } from "./account/notifications.ts"
import { myMatch } from "./account/ownMatch.ts"
import { myMatches } from "./account/ownMatches.ts"
import { profile } from "./account/profile.ts"
import { sessions } from "./account/sessions.ts"
import { settings } from "./account/settings.ts"
import { myWebhook } from "./account/webhook.ts"
import { myWebhooks } from "./account/webhooks.ts"
import { administration } from "./admin/routes.ts"
import { boardPage } from "./board/page.ts"
import { boardPictureFile } from "./board/picture.ts"
import { home } from "./game/home.ts"
import { gamePage } from "./game/page.ts"
import { byMatch, byModel, bySeason, fileInPrivateToo, inPrivateToo } from "./http/memberPages.ts"
import type { Route } from "./http/Route.ts"
import { coursePage } from "./leaderboard/course.ts"
import { matrixPage } from "./leaderboard/matrix.ts"
import { ladderPage } from "./leaderboard/page.ts"
import { matchList } from "./match/list.ts"
import { matchPage } from "./match/page.ts"
import { matchPicture } from "./match/picture.ts"
import { ownReplayFile, replayFile } from "./match/replay.ts"
import { kitPage } from "./model/kit.ts"
import { myModel, myModels } from "./model/own.ts"
import { modelPage } from "./model/page.ts"
import { resultFeed } from "./model/resultFeed.ts"
import { myStory } from "./model/story.ts"
import { seasonPage } from "./season/page.ts"
import { submitPage } from "./submission/page.ts"
import { myVersion } from "./version/own.ts"
import { versionPage } from "./version/page.ts"
import { announcementFeed } from "./writing/announcementFeed.ts"
import { news } from "./writing/news.ts"
import { newsFeed } from "./writing/newsFeed.ts"
import { post } from "./writing/post.ts"

/** The pages of seasons once more, for those who may read private ones. */
const memberPages: ReadonlyArray<Route> = [
  ...[seasonPage, ladderPage, matrixPage, coursePage, boardPage].map((page) => inPrivateToo(page, bySeason)),
  inPrivateToo(matchPage, byMatch),
  inPrivateToo(modelPage, byModel),
  ...[matchList, versionPage].map((page) => inPrivateToo(page)),
  fileInPrivateToo(replayFile)
]

export const routes: ReadonlyArray<Route> = [
  home,
  gamePage,
  seasonPage,
  ladderPage,
  matrixPage,
  coursePage,
  boardPage,
  boardPictureFile,
  matchList,
  matchPage,
  matchPicture,
  replayFile,
  modelPage,
  versionPage,
  ...memberPages,
  profile,
  news,
  post,
  newsFeed,
  announcementFeed,
  resultFeed,
  me,
  settings,
  myWebhooks,
  myWebhook,
  device,
  ...administration,
  sessions,
  myMatches,
  myMatch,
  ownReplayFile,
  notificationList,
  myComments,
  oneComment,
  myModels,
  myModel,
  myStory,
  submitPage,
  myVersion,
  kitPage
]
