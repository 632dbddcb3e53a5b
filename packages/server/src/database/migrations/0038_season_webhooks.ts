/**
 * Webhooks of seasons (notification/webhook/SeasonWebhooks.ts): rows of `webhook` whose channel is `season`, and whose account is the
 * administrator who made them. A season's commit writes their deliveries (actor/store/seasonWebhooks.ts); what accounts are told is not for
 * them, so the triggers of 0035 pass them by. An older node delivers to `web` alone and leaves them for later.
 *
 * `webhook_attempt` has the last attempts to tell each webhook.
 */
export default `
CREATE TABLE season_webhook (
  season_id uuid NOT NULL REFERENCES season,
  webhook_id uuid NOT NULL UNIQUE REFERENCES webhook ON DELETE CASCADE,
  PRIMARY KEY (season_id, webhook_id)
);
CREATE TABLE webhook_attempt (
  webhook_id uuid NOT NULL REFERENCES webhook ON DELETE CASCADE,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL,            -- of the delivery
  kind text NOT NULL,
  subject text NOT NULL,
  attempt int NOT NULL,
  at timestamptz NOT NULL,
  outcome text NOT NULL,
  PRIMARY KEY (webhook_id, seq)
);
CREATE OR REPLACE FUNCTION tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO webhook_delivery (webhook_id, id, kind, subject, link, created_at, due_at)
  SELECT w.id, t.id, t.kind, t.subject, t.link, t.created_at, t.created_at FROM told t JOIN webhook w ON w.account_id = t.account_id
  WHERE w.channel <> 'season' AND w.disabled_at IS NULL AND webhook_has_room(w.id); RETURN NULL; END $$;
CREATE OR REPLACE FUNCTION tell_all_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO webhook_delivery (webhook_id, id, kind, subject, link, created_at, due_at)
  SELECT w.id, t.id, 'platform_notice', t.subject, t.link, t.sent_at, t.sent_at FROM told t CROSS JOIN webhook w
  WHERE t.season_id IS NULL AND w.channel <> 'season' AND w.disabled_at IS NULL AND webhook_has_room(w.id); RETURN NULL; END $$
`
