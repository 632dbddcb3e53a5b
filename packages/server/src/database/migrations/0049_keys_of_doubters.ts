/**
 * Whose runner doubted a match, beside which runner that was: the rows of runners that are long gone are deleted, and one key must not decide
 * alone. An audit that an older node has doubted has none, and is asked for the key of its runner as before.
 */
export default `
ALTER TABLE match_audit ADD COLUMN doubter_key uuid
`
