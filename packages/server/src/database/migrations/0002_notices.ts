/**
 * Notices for people. A notice is sent once, to a season's participants or (season_id null) to everybody; each of its
 * recipients has a notification of its own, as for everything else that is told. A kind is on where no setting says
 * otherwise. And rosters: a login is on one once, however its letters are cased, as it is looked up.
 */
export default `
CREATE TABLE notice (
  id uuid PRIMARY KEY,
  season_id uuid REFERENCES season,
  subject text NOT NULL,
  link text,
  sent_at timestamptz NOT NULL,
  sent_by uuid NOT NULL REFERENCES account,
  recipients int NOT NULL
);
CREATE INDEX notice_season ON notice (season_id, sent_at DESC, id DESC);

CREATE TABLE notification (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account,
  kind text NOT NULL,
  subject text NOT NULL,
  link text,
  created_at timestamptz NOT NULL,
  read_at timestamptz
);
CREATE INDEX notification_feed ON notification (account_id, created_at DESC, id DESC);
CREATE INDEX notification_unread ON notification (account_id) WHERE read_at IS NULL;

CREATE TABLE notification_setting (
  account_id uuid NOT NULL REFERENCES account,
  kind text NOT NULL,
  enabled boolean NOT NULL,
  PRIMARY KEY (account_id, kind)
);

DELETE FROM participant p USING participant q
  WHERE q.season_id = p.season_id AND q.provider = p.provider AND lower(q.login) = lower(p.login) AND q.id < p.id;
ALTER TABLE participant DROP CONSTRAINT participant_login;
CREATE UNIQUE INDEX participant_login ON participant (season_id, provider, lower(login))
`
