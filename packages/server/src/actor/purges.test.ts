import type { Event } from "@agon/domain/season/Event.ts"
import { assert, describe, it } from "vitest"
import * as tags from "../http/cache/tags.ts"
import { purgedBy, purgedByAll, purgedByClaim } from "./purges.ts"
import type { PublishedEvent } from "./SeasonEvents.ts"

const season = { id: "s1", game: "snakes", slug: "spring" }
const rated: Event = { _tag: "MatchRated", match: "x", ladders: ["nano", "open"], versions: ["v1", "v2"], models: ["m1", "m2"] }
const moved = (change: "submitted" | "entered" | "superseded"): Event => ({
  _tag: "VersionMoved",
  version: "v1",
  model: "m1",
  owner: "o1",
  change,
  reject_reason: null
})

describe("purges", () => {
  it("a rated match purges the ladders it moved, lists of matches, the season's counters, and its models and versions", () => {
    assert.sameMembers(
      [...purgedBy(season, rated)],
      [
        tags.ladderTag("s1", "nano"),
        tags.ladderTag("s1", "open"),
        tags.recordTag("s1"),
        tags.matchesTag("s1"),
        tags.playedTag,
        tags.matchTag("x"),
        ...["m1", "m2"].map(tags.modelTag),
        ...["v1", "v2"].map(tags.versionTag)
      ]
    )
  })

  it("ratings that are written late purge their ladders, versions and models once more, and nothing else", () => {
    const late: PublishedEvent = { _tag: "RatingsWritten", ladders: ["open"], versions: ["v1"], models: ["m1"] }
    assert.sameMembers([...purgedBy(season, late)], [tags.ladderTag("s1", "open"), tags.versionTag("v1"), tags.modelTag("m1")])
  })

  it("a rated match leaves alone what belongs to the whole season, other ladders, and which season is featured", () => {
    for (const kept of [
      tags.seasonTag("s1"),
      tags.ladderTag("s1", "micro"),
      tags.boardsTag("s1"),
      tags.gameTag("snakes"),
      tags.everywhereTag
    ]) {
      assert.notInclude(purgedBy(season, rated), kept)
    }
  })

  it("a version that enters or leaves moves every ladder and makes its trial listed; a candidate does not", () => {
    const all = ["nano", "micro", "mini", "small", "large", "open"].map((ladder) => tags.ladderTag("s1", ladder))
    const lists = [tags.matchesTag("s1"), tags.everywhereTag]
    for (const change of ["entered", "superseded"] as const) assert.includeMembers([...purgedBy(season, moved(change))], [...all, ...lists])
    assert.deepStrictEqual(purgedBy(season, moved("submitted")), [tags.recordTag("s1")])
  })

  it("a commit of many matches purges anything of the season, by four names instead of thousands", () => {
    const play = (n: number): Event => ({ ...rated, match: `x${n}`, versions: [`v${n}`], models: [`m${n}`] })
    const few = Array.from({ length: 100 }, (_, n) => play(n))
    assert.includeMembers([...purgedByAll(season, few)], [tags.matchTag("x0"), tags.matchTag("x99"), tags.ladderTag("s1", "open")])
    const many = Array.from({ length: 50_000 }, (_, n) => play(n))
    assert.deepStrictEqual(purgedByAll(season, many), purgedByClaim(season))
    assert.deepStrictEqual(purgedByAll(season, []), [])
  })

  it("settings and rounds to come purge the record and what shows rules, not ladders and matches", () => {
    assert.sameMembers(
      [...purgedBy(season, { _tag: "SeasonChanged" })],
      [tags.recordTag("s1"), tags.settingsTag("s1"), tags.gameTag("snakes")]
    )
  })

  it("a round that begins, the end and a claim purge everything of the season", () => {
    const all: ReadonlyArray<Event> = [{ _tag: "RoundStarted", n: 1 }, { _tag: "SeasonClosed" }]
    for (const event of all) assert.includeMembers([...purgedBy(season, event)], [tags.seasonTag("s1"), tags.gameTag("snakes")])
    assert.includeMembers([...purgedByClaim(season)], [tags.seasonTag("s1"), tags.gameTag("snakes"), tags.everywhereTag])
    assert.deepStrictEqual(purgedBy(season, { _tag: "WorkAppeared" }), [])
  })
})
