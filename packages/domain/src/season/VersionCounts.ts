/**
 * Counts of versions for submissions: how many each owner and model has, which of a model's the state holds,
 * and who has entered which weights. A preflight reads only these, so its cost does not grow with the season.
 *
 * A superseded version leaves the state once no open match seats it. It still counts for the caps, and its
 * weights stay taken: `left` says how many such versions a model has of the same weights.
 */
import type { Status } from "./Reasons.ts"

/** A record of a superseded version that the state no longer holds. */
export interface Left {
  readonly model: string
  readonly owner: string | null // null: a baseline
  readonly weights_hash: string
}
interface Counted extends Left {
  readonly status: Status
}

/** An owner's versions in the state. */
export interface Owner<V extends Counted> {
  last_submitted_at: number | null // of the last submission that counts for the cooldown
  models: number // models with versions that count for the caps
  readonly testing: Array<V>
}

/** A model's versions: the number that counts for its cap, and the few that the state holds. */
interface ModelCount<V extends Counted> {
  readonly owner: string | null
  counted: number
  readonly held: Array<V>
}

/** Versions of a model that take the same weights: held ones that are not switched off, and those that have left. */
interface WeightsCount {
  readonly model: string
  readonly owner: string | null
  held: number
  left: number
}

/** The part of the state that this file keeps. */
export interface Counts<V extends Counted> {
  readonly owners: Map<string, Owner<V>>
  readonly models: Map<string, ModelCount<V>>
  readonly weights: Map<string, Array<WeightsCount>> // by hash, usually of one model
  readonly candidates: Set<V>
}

const COUNTED: ReadonlySet<Status> = new Set(["testing", "entered", "superseded", "disqualified"])

const modelOf = <V extends Counted>({ models }: Counts<V>, { model, owner }: Left): ModelCount<V> => {
  const found = models.get(model)
  if (found !== undefined) return found
  const made = { owner, counted: 0, held: [] }
  models.set(model, made)
  return made
}

const weightsOf = ({ weights }: Pick<Counts<never>, "weights">, { model, owner, weights_hash }: Left): WeightsCount => {
  const counts = weights.get(weights_hash)
  const found = counts?.find((each) => each.model === model && each.owner === owner)
  if (found !== undefined) return found
  const made = { model, owner, held: 0, left: 0 }
  if (counts === undefined) weights.set(weights_hash, [made])
  else counts.push(made)
  return made
}

/** Changes the counts for the caps of a model and its owner by one. */
const countForCaps = <V extends Counted>(state: Counts<V>, model: ModelCount<V>, by: 1 | -1): void => {
  const owner = model.owner === null ? undefined : countsOfOwner(state, model.owner)
  if (owner !== undefined && model.counted === 0) owner.models++
  model.counted += by
  if (owner !== undefined && model.counted === 0) owner.models--
}

export const countsOfOwner = <V extends Counted>({ owners }: Counts<V>, id: string): Owner<V> => {
  const found = owners.get(id)
  if (found !== undefined) return found
  const made = { last_submitted_at: null, models: 0, testing: [] }
  owners.set(id, made)
  return made
}

const drop = <A>(from: Array<A>, item: A): void => {
  const at = from.indexOf(item)
  if (at >= 0) from.splice(at, 1)
}

/** Counts a version that the state now holds. */
export const count = <V extends Counted>(state: Counts<V>, version: V): void => {
  const model = modelOf(state, version)
  model.held.push(version)
  if (COUNTED.has(version.status)) countForCaps(state, model, 1)
  if (version.status !== "disabled") weightsOf(state, version).held++
  if (version.status !== "testing") return
  state.candidates.add(version)
  if (version.owner !== null) countsOfOwner(state, version.owner).testing.push(version)
}

/** Undoes `count`. */
export const uncount = <V extends Counted>(state: Counts<V>, version: V): void => {
  const model = modelOf(state, version)
  drop(model.held, version)
  if (COUNTED.has(version.status)) countForCaps(state, model, -1)
  if (model.counted === 0 && model.held.length === 0) state.models.delete(version.model)
  if (version.status !== "disabled") {
    weightsOf(state, version).held--
    forgetWeights(state, version)
  }
  if (version.status !== "testing") return
  state.candidates.delete(version)
  if (version.owner !== null) drop(countsOfOwner(state, version.owner).testing, version)
}

const forgetWeights = ({ weights }: Pick<Counts<never>, "weights">, { weights_hash }: Left): void => {
  const counts = weights.get(weights_hash)!
  const used = counts.filter(({ held, left }) => held + left > 0)
  if (used.length === 0) weights.delete(weights_hash)
  else if (used.length < counts.length) weights.set(weights_hash, used)
}

/** The only way to change a held version's status. */
export const moved = <V extends Counted>(state: Counts<V>, version: V, to: Partial<V>): void => {
  uncount(state, version)
  Object.assign(version, to)
  count(state, version)
}

/** Counts a superseded version that the state does not hold. */
export const countLeft = <V extends Counted>(state: Counts<V>, left: Left): void => {
  countForCaps(state, modelOf(state, left), 1)
  weightsOf(state, left).left++
}

export const everyLeft = ({ weights }: Pick<Counts<never>, "weights">): ReadonlyArray<Left> =>
  [...weights].flatMap(([weights_hash, counts]) =>
    counts.flatMap(({ left, model, owner }) => Array.from({ length: left }, () => ({ model, owner, weights_hash })))
  )

/** Whether somebody else, or another model, has these weights, by other versions than `but`. */
export const isTaken = (
  { weights }: Pick<Counts<never>, "weights">,
  { model, owner, weights_hash }: Omit<Left, "model"> & { readonly model: string | null },
  but: ReadonlyArray<Left> = []
): boolean =>
  weights.get(weights_hash)?.some((each) => {
    const isOf = (version: { readonly model: string | null; readonly owner: string | null }) =>
      each.model === version.model && each.owner === version.owner
    return !isOf({ model, owner }) && each.held + each.left > but.filter(isOf).length
  }) ?? false

interface Held<V> {
  readonly versions_by_id: ReadonlyMap<string, V>
  readonly writes: { readonly rejected: ReadonlyMap<string, V>; readonly left: ReadonlyMap<string, V> }
}
/**
 * Finds a version of an open match or one that ended since the last commit. Versions rejected
 * before that commit are gone.
 */
export const versionOf = <V>({ versions_by_id, writes }: Held<V>, id: string): V | undefined =>
  versions_by_id.get(id) ?? writes.rejected.get(id) ?? writes.left.get(id)
