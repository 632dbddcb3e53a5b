/** The subject of a thread: a match or a model, as the site's addresses name it and where it is shown. */
import type { Subject } from "@agon/api/comment/Comment.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { commentAt, commentsAt, inPrivate, withQuery } from "../html/links.ts"

/** As the API's parameters and payloads name it. */
export const aboutOf = ({ id, kind }: Subject) => ({ [kind]: id })

/** A match or a baseline may be one of a private season; the page of any other leads to its public address. */
export const subjectAt = ({ id, kind }: Subject): string => inPrivate[kind](id)

/** The subject that the address names; undefined where it names none or is ill. */
export const subjectOf = ({ match, model }: Readonly<Record<string, string>>): Subject | undefined => {
  if (match !== undefined && model !== undefined) return undefined
  if (match !== undefined) return isUuid(match) ? { kind: "match", id: match } : undefined
  return model !== undefined && isUuid(model) ? { kind: "model", id: model } : undefined
}

/** Where a visitor writes a comment about it. */
export const writeAt = (subject: Subject): string => withQuery(commentsAt, aboutOf(subject))

/** Where a visitor answers or reports a comment. `place` is its number in its thread, the first being 0. */
export const answerAt = (subject: Subject, id: string, place: number): string =>
  withQuery(commentAt(id), { ...aboutOf(subject), at: place === 0 ? undefined : place })
