/** Refusals that versions share with other features: accounts have texts too, and seasons refuse submissions. */
import { Problem } from "../Problem.ts"

export class NoteTooLong extends Problem<NoteTooLong>()("note_too_long", 400, "The note is too long") {}
export class NoteWordListed extends Problem<NoteWordListed>()("note_word_listed", 422, "The text contains a listed word") {}
export class SeasonClosed extends Problem<SeasonClosed>()("season_closed", 409, "The season is closed for this") {}
