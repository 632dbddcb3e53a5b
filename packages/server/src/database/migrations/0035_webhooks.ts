/**
 * Webhooks of accounts, and what each is still to be told (notification/webhook/WebhookDelivery.ts). Triggers write a delivery in the same
 * commit as its notification, wherever that is written. A delivery has no foreign key, so that no commit of a season waits for an
 * account that removes its webhook.
 */
export default `
CREATE TABLE webhook (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  url text NOT NULL,
  secret text NOT NULL,
  created_at timestamptz NOT NULL,
  busy_until timestamptz NOT NULL DEFAULT '-infinity',
  failing_since timestamptz,
  disabled_at timestamptz,
  last_at timestamptz,
  last_outcome text
);
CREATE INDEX webhook_account ON webhook (account_id);
CREATE TABLE webhook_delivery (
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  link text,
  created_at timestamptz NOT NULL,
  due_at timestamptz NOT NULL,
  attempts int NOT NULL DEFAULT 0,
  PRIMARY KEY (webhook_id, id)
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at);
CREATE FUNCTION webhook_has_room(webhook uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT count(*) < 1000 FROM (SELECT 1 FROM webhook_delivery d WHERE d.webhook_id = webhook LIMIT 1000) waiting $$;
CREATE FUNCTION tell_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO webhook_delivery (webhook_id, id, kind, subject, link, created_at, due_at)
  SELECT w.id, t.id, t.kind, t.subject, t.link, t.created_at, t.created_at FROM told t JOIN webhook w ON w.account_id = t.account_id
  WHERE w.disabled_at IS NULL AND webhook_has_room(w.id); RETURN NULL; END $$;
CREATE TRIGGER notification_webhooks AFTER INSERT ON notification REFERENCING NEW TABLE AS told
  FOR EACH STATEMENT EXECUTE FUNCTION tell_webhooks();
CREATE FUNCTION tell_all_webhooks() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO webhook_delivery (webhook_id, id, kind, subject, link, created_at, due_at)
  SELECT w.id, t.id, 'platform_notice', t.subject, t.link, t.sent_at, t.sent_at FROM told t CROSS JOIN webhook w
  WHERE t.season_id IS NULL AND w.disabled_at IS NULL AND webhook_has_room(w.id); RETURN NULL; END $$;
CREATE TRIGGER notice_webhooks AFTER INSERT ON notice REFERENCING NEW TABLE AS told
  FOR EACH STATEMENT EXECUTE FUNCTION tell_all_webhooks()
`
