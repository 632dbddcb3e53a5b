/**
 * Somebody who reloads the list of matches all the time and remembers every rated one that the service ever showed,
 * through every outage. A shown match must stay: the same match with another result is a contradiction.
 */
import { setTimeout as pause } from "node:timers/promises"
import { GAME, SEASON } from "./Competition.ts"
import type { Visitor } from "./Visitor.ts"

const LOOK_EVERY_MS = 250

export class Witness {
  readonly seen = new Map<string, string>()
  readonly contradictions: Array<string> = []
  private readonly visitor: Visitor
  private readonly list: string
  private readonly watching: Promise<void>
  private over = false

  constructor(visitor: Visitor, slug = SEASON) {
    this.visitor = visitor
    this.list = `/v1/matches?game=${GAME}&season=${slug}&limit=60`
    this.watching = this.watch()
  }

  async look(path = this.list): Promise<void> {
    const { matches } = await this.visitor.get(path)
    for (const { id, seats, status, turns } of matches) if (status === "rated") this.hear(id, JSON.stringify([turns, seats]))
  }

  private hear(id: string, told: string) {
    const before = this.seen.get(id)
    if (before !== undefined && before !== told) this.contradictions.push(`${id}: ${before} became ${told}`)
    this.seen.set(id, told)
  }

  /** Every page of the list, newest first. */
  async lookAtAll(): Promise<ReadonlySet<string>> {
    const ids = new Set<string>()
    for (let cursor: string | null = "0"; cursor !== null; ) {
      const page: any = await this.visitor.get(`${this.list}&cursor=${cursor}`)
      for (const { id, seats, status, turns } of page.matches) {
        if (status !== "rated") continue
        ids.add(id)
        this.hear(id, JSON.stringify([turns, seats]))
      }
      cursor = page.next_cursor
    }
    return ids
  }

  private async watch() {
    while (!this.over) {
      await this.look().catch(() => undefined) // The service is away, which is what this is about.
      await pause(LOOK_EVERY_MS)
    }
  }

  async stop(): Promise<void> {
    this.over = true
    await this.watching
  }
}
