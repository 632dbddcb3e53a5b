/**
 * Threads of comments. How many comments of a thread can be read is counted on the thread, in the transaction that adds or
 * takes one away, so that nothing counts rows: cards of matches show it, and `thread_discussed` is the order of the sort
 * `discussed`. It stands here and not on the match, whose rows the machine alone writes, and where an index would
 * cost every match an entry; few are ever discussed.
 *
 * A match is never deleted, so a thread names it without a foreign key; `season_id` and `ended_at` are the match's and never
 * change. The season of a model is that of its baseline. Of a comment that was published the place stays for good, so
 * `parent_id` needs no key either: only what was never published, and so never answered, is deleted.
 */
export default `
CREATE TABLE thread (
  id uuid PRIMARY KEY,
  match_id uuid CONSTRAINT thread_match UNIQUE,
  model_id uuid CONSTRAINT thread_model UNIQUE REFERENCES model,
  season_id uuid REFERENCES season,
  ended_at timestamptz,
  locked boolean NOT NULL DEFAULT false,
  comments int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  CHECK ((match_id IS NULL) <> (model_id IS NULL))
);
CREATE INDEX thread_discussed ON thread (season_id, comments DESC, ended_at DESC, match_id DESC) WHERE comments > 0 AND match_id IS NOT NULL;

-- pending -> published | removed, published <-> removed, published -> deleted (by its author; the body goes)
CREATE TABLE comment (
  id uuid PRIMARY KEY,
  thread_id uuid NOT NULL REFERENCES thread,
  parent_id uuid,
  account_id uuid NOT NULL REFERENCES account,
  body text,
  state text NOT NULL CHECK (state IN ('pending', 'published', 'deleted', 'removed')),
  -- since it was last approved
  reports int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  -- when it was first there to be read; null where it never was
  published_at timestamptz,
  approved_at timestamptz,
  CHECK ((body IS NULL) = (state = 'deleted'))
);
CREATE INDEX comment_thread ON comment (thread_id, created_at, id) WHERE published_at IS NOT NULL;
CREATE INDEX comment_author ON comment (account_id, created_at DESC, id DESC) WHERE state = 'published';
CREATE INDEX comment_waiting ON comment (account_id, created_at DESC, id DESC) WHERE state = 'pending';
CREATE INDEX comment_approved ON comment (account_id) WHERE approved_at IS NOT NULL;
CREATE INDEX comment_pending ON comment (created_at, id) WHERE state = 'pending';
CREATE INDEX comment_reported ON comment (created_at, id) WHERE state = 'published' AND reports > 0;

CREATE TABLE report (
  id uuid NOT NULL,
  comment_id uuid NOT NULL REFERENCES comment,
  account_id uuid NOT NULL REFERENCES account,
  reason text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (comment_id, account_id)
)
`
