/**
 * Texts for the site: announcements and posts of the platform's administrators, and stories that owners write about their
 * models. Of a model there are two texts at most: the latest of its owner's (`body`), and the one that a moderator has approved
 * (`public_body`), which stays until another is approved or it is taken back. Each is known by when it was written, and no two texts of
 * a model at one time, so that a moderator can say which they have read.
 */
export default `
CREATE TABLE announcement (
  id uuid PRIMARY KEY,
  title text NOT NULL,
  body text NOT NULL,
  link text,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz NOT NULL,
  shown_from timestamptz NOT NULL GENERATED ALWAYS AS (coalesce(starts_at, created_at)) STORED,
  CHECK (ends_at > starts_at)
);
CREATE INDEX announcement_shown ON announcement (shown_from DESC, id DESC);
CREATE INDEX announcement_end ON announcement (ends_at);

CREATE TABLE post (
  id uuid PRIMARY KEY,
  slug text NOT NULL CONSTRAINT post_slug UNIQUE,
  title text NOT NULL,
  body text NOT NULL,
  author_id uuid NOT NULL REFERENCES account,
  -- null for a draft; one that is still to come is a draft until then
  published_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX post_published ON post (published_at DESC, id DESC);
CREATE INDEX post_created ON post (created_at DESC, id DESC);

-- draft -> pending (submitted) -> approved | rejected; whatever the owner writes next is a draft again, or pending
CREATE TABLE story (
  model_id uuid PRIMARY KEY REFERENCES model,
  body text NOT NULL,
  state text NOT NULL CHECK (state IN ('draft', 'pending', 'approved', 'rejected')),
  updated_at timestamptz NOT NULL,
  public_body text,
  public_updated_at timestamptz,
  featured_at timestamptz,
  CHECK ((public_body IS NULL) = (public_updated_at IS NULL)),
  CHECK (featured_at IS NULL OR public_body IS NOT NULL),
  CHECK (state <> 'approved' OR (public_body = body AND public_updated_at = updated_at))
);
CREATE INDEX story_pending ON story (updated_at, model_id) WHERE state = 'pending';
CREATE INDEX story_public ON story (public_updated_at DESC, model_id DESC) WHERE public_body IS NOT NULL;
CREATE INDEX story_featured ON story (featured_at DESC, model_id DESC) WHERE featured_at IS NOT NULL
`
