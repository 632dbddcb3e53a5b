/**
 * Models of a game are found by the beginning of their name, in small letters: a season's administrators look for an entry so.
 * `text_pattern_ops` compares byte by byte in whatever collation the database has.
 */
export default `
-- rolling: models are few beside matches, and no commit of a season writes any
CREATE INDEX model_name_start ON model (game, lower(name) text_pattern_ops)
`
