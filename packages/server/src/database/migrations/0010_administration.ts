/**
 * Indexes for the administration of the platform: accounts and threads newest first, and accounts by what their names begin
 * with, which `text_pattern_ops` compares byte by byte in whatever collation the database has.
 *
 * `word` is a word as it is compared, and `spelled` as it was written; no route has written words before, and those that were
 * put there by hand are spelled as they stand. A sign-in whose state was used is known to every node until it would have expired.
 */
export default `
CREATE INDEX account_newest ON account (created_at DESC, id DESC);
CREATE INDEX account_username_start ON account (username text_pattern_ops);
CREATE INDEX account_name_start ON account (lower(display_name) text_pattern_ops);
CREATE INDEX identity_login_start ON identity (lower(login) text_pattern_ops);
CREATE INDEX thread_newest ON thread (created_at DESC, id DESC);

ALTER TABLE word ADD COLUMN spelled text;

CREATE TABLE sign_in_used (state text PRIMARY KEY, expires_at timestamptz NOT NULL);
CREATE INDEX sign_in_used_expiry ON sign_in_used (expires_at)
`
