/** One message to a season, as the service would send it: commands that land in one commit. */
import type { Command, Reply } from "@agon/domain/season/Command.ts"

export interface Visit {
  readonly commands: ReadonlyArray<Command>
  /**
   * Called with the replies when they arrive; undefined stands for a season that is closed.
   * Not called when they are lost.
   */
  readonly heard: (commands: ReadonlyArray<Command>, replies: ReadonlyArray<Reply | undefined>, twice: boolean) => void
  /** The kind of visit, where it is worth counting. */
  readonly as?: string
  /** How long after the others it is made. */
  readonly after_ms?: number
  /**
   * How long after their first answer, which is lost, the same commands are delivered once more: the answer
   * to that is the one that is heard.
   */
  readonly again_ms?: number
}

export const silent = (...commands: ReadonlyArray<Command>): Visit => ({ commands, heard: () => undefined })
