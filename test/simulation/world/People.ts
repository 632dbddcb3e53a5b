/** Competitors: what they submit and upload next, from chance and from the rows they can see. */
import type { Command, Of } from "@agon/domain/season/Command.ts"
import { id } from "../../support/SeasonScript.ts"
import { must } from "../audit/Promise.ts"
import type { View } from "../View.ts"
import type { Chance } from "./Chance.ts"
import { type Profile, SIZES, TOO_LARGE } from "./Profile.ts"
import { silent, type Visit } from "./Visit.ts"

export interface People {
  readonly competitor: (rows: View) => Visit
  /** Everyone's first version at once, files and all. */
  readonly first: () => ReadonlyArray<Command>
}

/** Versions and rows of the log are numbered through all seasons of a run: their ids are primary keys. */
export interface Numbers {
  versions: number
  audits: number
}

export const make = (chance: Chance, profile: Profile, numbers: Numbers): People => {
  const told: Array<Of<"SubmitVersion">> = []
  const numbersOf = new Map<string, number>()
  const modelOf = (owner: number, n: number) => id("model", owner * 10 + n)

  const files = (size: number) => ({ weights_bytes: size, manifest_bytes: 50 })
  const submission = (owner: number, n: number, over: Partial<Of<"SubmitVersion">> = {}): Of<"SubmitVersion"> => {
    const model = modelOf(owner, n)
    const number = (numbersOf.get(model) ?? 0) + 1
    numbersOf.set(model, number)
    const v = ++numbers.versions
    const hashes = { weights_hash: `sha256:w${v}`, manifest_hash: `sha256:m${v}` }
    const who = { version: id("version", v), model, owner: id("owner", owner), number, note: null, eligible: true, retired: false }
    return { _tag: "SubmitVersion", ...who, ...hashes, files: null, ...over }
  }

  const competitor = (rows: View): Visit => {
    const uploads = [...rows.versions.values()].filter(({ phase }) => phase === "upload")
    const x = chance.next()
    if (x < 0.45 && uploads.length > 0) {
      const { id: version } = chance.pick(uploads)
      const command: Command = chance.in(0.9)
        ? { _tag: "ReceiveFiles", version, ...files(chance.in(0.04) ? TOO_LARGE : chance.pick(SIZES)) }
        : { _tag: "RejectFiles", version, reject_reason: "hash_mismatch", reject_detail: "The bytes differ." }
      return silent(command)
    }
    if (x < 0.5 && told.length > 0) return submit(told, { ...chance.pick(told), version: id("version", ++numbers.versions) }) // again, the same pair
    const owner = chance.between(1, profile.owners.length)
    const command = submission(owner, chance.between(1, profile.modelsEach), {
      files: chance.in(0.5) ? files(chance.pick(SIZES)) : null,
      eligible: !chance.in(0.03),
      retired: chance.in(0.03),
      ...(chance.in(0.06) && told.length > 0 ? { weights_hash: chance.pick(told).weights_hash } : {})
    })
    return submit(told, command)
  }

  return {
    competitor,
    first: () => {
      const commands = profile.owners.map((_, i) => submission(i + 1, 1, { files: files(chance.pick(SIZES)) }))
      told.push(...commands)
      return commands
    }
  }
}

/**
 * Preflight and submission at the same moment: they must agree. A submission that is delivered again
 * is answered as it was before.
 */
const submit = (told: Array<Of<"SubmitVersion">>, command: Of<"SubmitVersion">): Visit => {
  told.push(command)
  const { eligible, manifest_hash, model, owner, retired, weights_hash } = command
  const preflight: Command = { _tag: "Preflight", owner: owner!, model, hashes: { weights_hash, manifest_hash }, eligible, retired }
  return {
    commands: [preflight, command],
    heard: (_, [foreseen, reply], twice) => {
      if (foreseen === undefined || reply === undefined) return
      const { refused, same } = foreseen as { refused: unknown; same: { submitted: string } | null }
      const given = reply as { submitted: string; fresh: boolean } | { refused: unknown }
      const agrees =
        "refused" in given
          ? same === null && JSON.stringify(refused) === JSON.stringify(given.refused)
          : given.fresh
            ? twice || (same === null && JSON.stringify(refused) === "[]")
            : same?.submitted === given.submitted
      must(agrees, "the preflight says what the submission will", foreseen, reply)
    }
  }
}
