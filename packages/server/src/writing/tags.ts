/**
 * The cache tags of answers that show announcements, posts, stories and picks.
 *
 *   announcementsTag    lists of announcements
 *   feedTag             the feed, whose items come and go
 *   postTag             a post, by its slug
 *   storyTag            answers that show a model's story: its text, or the model's name
 *   picksTag            picked matches of a game
 */
export const announcementsTag = "announcements"
export const feedTag = "feed"
export const postTag = (slug: string) => `post:${slug}`
export const storyTag = (model_id: string) => `story:${model_id}`
export const picksTag = (game: string) => `picks:${game}`
