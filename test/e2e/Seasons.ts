/**
 * The seasons that several nodes play: who hosts each, whether each goes on, and whether their
 * books add up when they rest.
 */
import { assert } from "vitest"
import { eventuallyAsync } from "../support/eventually.ts"
import * as Competition from "./Competition.ts"
import { audit } from "./Ledger.ts"
import type { Node, World } from "./Nodes.ts"
import { Visitor } from "./Visitor.ts"
import { Witness } from "./Witness.ts"

export interface Season {
  readonly id: string
  readonly slug: string
}

export interface Progress {
  readonly epoch: number
  readonly rated: number
}

export interface Played {
  readonly boards: ReadonlyArray<string>
  readonly baselines: ReadonlyArray<string>
}

export class Seasons {
  readonly all: ReadonlyArray<Season>
  private readonly world: World
  private readonly boards: ReadonlyArray<string>
  private readonly witnesses: ReadonlyArray<Witness>

  private constructor(world: World, all: ReadonlyArray<Season>, boards: ReadonlyArray<string>) {
    this.world = world
    this.all = all
    this.boards = boards
    this.witnesses = all.map(({ slug }) => new Witness(new Visitor(world.origin), slug))
  }

  /** Opened by their administrators, and played by the runners that there are; somebody looks at each all the time. */
  static async open(world: World, admins: ReadonlyMap<string, Visitor>, played: Played): Promise<Seasons> {
    await Promise.all([...admins].map(([slug, admin]) => Competition.open(admin, { slug, ...played })))
    const all = await world.query<Season>("SELECT id, slug FROM season WHERE slug = ANY($1) ORDER BY slug", [[...admins.keys()]])
    return new Seasons(world, all, played.boards)
  }

  async progressOf({ id }: Season): Promise<Progress> {
    return (await this.world.query<any>("SELECT epoch, (head->>'rated')::int AS rated FROM season WHERE id = $1", [id]))[0]
  }

  progress(): Promise<ReadonlyArray<Progress>> {
    return Promise.all(this.all.map((season) => this.progressOf(season)))
  }

  async ownerOf(season: Season): Promise<Node> {
    let owner: Node | undefined
    await eventuallyAsync(`an owner of ${season.slug}`, async () => (owner = await this.world.owner(season.id)) !== undefined)
    return owner!
  }

  /** Every season plays on from here, or from where it stood. */
  async goOn(matches = 1, before?: ReadonlyArray<Progress>): Promise<void> {
    const from = before ?? (await this.progress())
    await eventuallyAsync("play in every season", async () =>
      (await this.progress()).every(({ rated }, i) => rated >= from[i]!.rated + matches)
    )
  }

  /**
   * Brings the play to rest, and fails where a match or a rating is not as the log has it,
   * or was shown and taken back.
   */
  async addUp(admins: ReadonlyMap<string, Visitor>, note: (figure: string) => void): Promise<void> {
    await this.stop()
    for (const [i, { slug }] of this.all.entries()) {
      await Competition.rest(admins.get(slug)!, this.boards, slug)
      const { results } = await audit(this.world, slug)
      note(`${slug}: ${results.size} rated matches, every rating as a replay of the log makes it`)
      const { contradictions, seen } = this.witnesses[i]!
      assert.deepStrictEqual(contradictions, [])
      assert.deepStrictEqual(
        [...seen.keys()].filter((id) => !results.has(id)),
        [],
        "every match that was shown as rated is there"
      )
    }
  }

  /** Nobody looks any more. */
  async stop(): Promise<void> {
    for (const witness of this.witnesses) await witness.stop()
  }
}
