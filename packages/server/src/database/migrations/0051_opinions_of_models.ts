/** How keys judged a model whose refusal is to be confirmed (domain/season/entry/SecondOpinion.ts). */
export default `
ALTER TABLE review ADD COLUMN opinions jsonb -- [{key, runner, at, verdict}], null: none
`
