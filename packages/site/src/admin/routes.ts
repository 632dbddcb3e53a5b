/** Every administration page. */
import type { PersonalRoute } from "../http/Route.ts"
import { platformAnnouncements } from "./announcements.ts"
import { seasonBaselines } from "./baselines.ts"
import { seasonBoards } from "./boards.ts"
import { seasonCoincidences } from "./coincidences.ts"
import { seasonEntries } from "./entries.ts"
import { platformRunners, seasonRunners } from "./fleet.ts"
import { platformLog, seasonLog } from "./log.ts"
import { seasonMatches } from "./matches.ts"
import { platformComments, platformThreads } from "./moderation.ts"
import { newSeason } from "./newSeason.ts"
import { platformNotices, seasonNotices } from "./notices.ts"
import { seasonPeople } from "./people.ts"
import { platformPicks } from "./picks.ts"
import { platformOverview } from "./platform.ts"
import { platformPosts } from "./posts.ts"
import { seasonRounds } from "./rounds.ts"
import { seasonOverview } from "./season.ts"
import { platformStories } from "./stories.ts"
import { platformUsers } from "./users.ts"
import { seasonWebhooks } from "./webhooks.ts"
import { platformWords } from "./words.ts"

export const administration: ReadonlyArray<PersonalRoute> = [
  ...[
    seasonOverview,
    seasonBoards,
    seasonBaselines,
    seasonEntries,
    seasonPeople,
    seasonRounds,
    seasonRunners,
    seasonMatches,
    seasonCoincidences,
    seasonNotices,
    seasonWebhooks,
    seasonLog
  ],
  ...[platformOverview, newSeason, platformUsers, platformWords, platformComments, platformThreads, platformStories, platformPosts],
  ...[platformAnnouncements, platformNotices, platformPicks, platformRunners, platformLog]
]
