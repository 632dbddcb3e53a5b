/**
 * The season's books, read from the database in one snapshot and added up again: every rated match once,
 * numbered without a gap but for those that were voided, and every rating what the formula of
 * docs/rating.md#any-number-of-seats makes of the matches in that order. The formula is written here a second
 * time, from the page and not from the service.
 */
import { assert } from "vitest"
import { SEASON } from "./Competition.ts"
import { type Service, withDatabase } from "./Service.ts"

export interface Belief {
  mu: number
  sigma: number
}

interface SeatRow {
  readonly id: string
  readonly rated_n: number
  readonly ladder: string
  readonly seat: number
  readonly version_id: string
  readonly rank: number
  readonly score: number
  readonly made_mu: number
  readonly made_sigma: number
  readonly open_mu: number | null
  readonly open_sigma: number | null
}

interface RatingRow extends Belief {
  readonly ladder: string
  readonly version_id: string
  readonly matches: number
}

export interface Ledger {
  /** The outcome of each rated match, by its id. */
  readonly results: ReadonlyMap<string, string>
  readonly ratings: ReadonlyArray<RatingRow>
}

const SEATS = `
  SELECT m.id, m.rated_n, m.ladder, s.seat, s.version_id, s.rank, s.score, s.made_mu, s.made_sigma, s.open_mu, s.open_sigma
  FROM match m JOIN seat s ON s.match_id = m.id JOIN season ON season.id = m.season_id
  WHERE m.status = 'rated' AND season.slug = $1 ORDER BY m.rated_n, s.seat`
const RATINGS = "SELECT ladder, version_id, mu, sigma, matches FROM rating JOIN season ON season.id = season_id WHERE slug = $1"
const COUNTS = "SELECT (head->>'rated')::int AS rated, (head->>'voided')::int AS voided FROM season WHERE slug = $1"
const TWICE = "SELECT live.id FROM live JOIN season ON season.id = season_id WHERE slug = $1 AND live.id IN (SELECT id FROM match)"

export const START: Readonly<Belief> = { mu: 0, sigma: 200 }
const S = 400 / Math.log(10)
export const BASE = "open"

/** New beliefs about k seats, by docs/rating.md#any-number-of-seats, term by term. */
export const after = (seats: ReadonlyArray<Belief>, ranks: ReadonlyArray<number>): ReadonlyArray<Belief> => {
  const k = seats.length
  const meanVariance = seats.reduce((sum, { sigma }) => sum + sigma ** 2, 0) / k
  const c = Math.sqrt(S ** 2 + (Math.PI / 8) * Math.min(k, 4) * meanVariance)
  const weight = seats.map(({ mu }) => Math.exp(mu / c))
  const noBetter = (q: number) => ranks.flatMap((rank, i) => (rank >= ranks[q]! ? [i] : []))
  const ties = (q: number) => ranks.filter((rank) => rank === ranks[q]).length
  const p = (i: number, q: number) => (noBetter(q).includes(i) ? weight[i]! / noBetter(q).reduce((sum, j) => sum + weight[j]!, 0) : 0)
  return seats.map(({ mu, sigma }, i) => {
    const terms = ranks.flatMap((rank, q) => (rank <= ranks[i]! ? [q] : []))
    const omega = terms.reduce((sum, q) => sum + ((i === q ? 1 : 0) - p(i, q)) / ties(q), 0)
    const delta = terms.reduce((sum, q) => sum + (p(i, q) * (1 - p(i, q))) / ties(q), 0)
    return { mu: mu + (sigma ** 2 * omega) / c, sigma: sigma * Math.sqrt(Math.max(1 - (sigma ** 2 * delta) / c ** 2, 0.05)) }
  })
}

export const near = (found: number | null, made: number, what: string) =>
  assert.isTrue(found !== null && Math.abs(found - made) < 1e-6, `${what}: the service has ${found}, the matches make ${made}`)

/** Reads the books and fails where they do not add up. */
export const audit = async (service: Pick<Service, "directory">, slug = SEASON): Promise<Ledger> => {
  const { counts, ratings, seats, twice } = await withDatabase(service, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    const read = async <Row>(text: string) => (await client.query(text, [slug])).rows as ReadonlyArray<Row>
    const counts = await read<{ rated: number; voided: number }>(COUNTS)
    return { counts, seats: await read<SeatRow>(SEATS), ratings: await read<RatingRow>(RATINGS), twice: await read<{ id: string }>(TWICE) }
  })
  assert.deepStrictEqual(twice, [], "no match is both over and still to be played")
  const matches = [...Map.groupBy(seats, ({ id }) => id).values()]
  const numbers = matches.map(([first]) => first!.rated_n)
  const [rated, voided] = [counts.reduce((sum, each) => sum + each.rated, 0), counts.reduce((sum, each) => sum + each.voided, 0)]
  assert.strictEqual(new Set(numbers).size, rated, "every match that counts has a number of its own")
  assert.isAtMost(numbers.at(-1) ?? 0, rated + voided, "only a number whose match was voided is missing")
  checkRatings(matches, ratings)
  return { results: new Map(matches.map((rows) => [rows[0]!.id, resultOf(rows)])), ratings }
}

/** The columns that must never change again. */
const resultOf = (rows: ReadonlyArray<SeatRow>) =>
  JSON.stringify(
    rows.map(({ made_mu, made_sigma, rank, rated_n, score, version_id }) => [rated_n, version_id, rank, score, made_mu, made_sigma])
  )

const checkRatings = (matches: ReadonlyArray<ReadonlyArray<SeatRow>>, ratings: ReadonlyArray<RatingRow>) => {
  const beliefs = new Map<string, Belief & { matches: number }>()
  const of = (ladder: string, version: string) => beliefs.get(`${ladder} ${version}`) ?? { ...START, matches: 0 }
  for (const rows of matches) {
    const ranks = rows.map(({ rank }) => rank)
    for (const ladder of new Set([rows[0]!.ladder, BASE])) {
      const made = after(
        rows.map(({ version_id }) => of(ladder, version_id)),
        ranks
      )
      rows.forEach((row, i) => {
        const is = ladder === row.ladder ? { mu: row.made_mu, sigma: row.made_sigma } : { mu: row.open_mu, sigma: row.open_sigma }
        near(is.mu, made[i]!.mu, `the mean of seat ${i} after match ${row.rated_n} on ${ladder}`)
        near(is.sigma, made[i]!.sigma, `the deviation of seat ${i} after match ${row.rated_n} on ${ladder}`)
        beliefs.set(`${ladder} ${row.version_id}`, { ...made[i]!, matches: of(ladder, row.version_id).matches + 1 })
      })
    }
  }
  for (const { ladder, matches: count, mu, sigma, version_id } of ratings) {
    const made = of(ladder, version_id)
    near(mu, made.mu, `the mean of ${version_id} on ${ladder}`)
    near(sigma, made.sigma, `the deviation of ${version_id} on ${ladder}`)
    assert.strictEqual(count, made.matches, `the matches of ${version_id} on ${ladder}`)
  }
  const rated = new Set(ratings.map(({ ladder, version_id }) => `${ladder} ${version_id}`))
  for (const key of beliefs.keys()) assert.isTrue(rated.has(key), `${key} has played and has no rating`)
}
