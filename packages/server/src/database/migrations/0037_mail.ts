/**
 * Notifications by e-mail (notification/mail/MailDelivery.ts). The mails of an account are one more of its webhooks, whose channel is `mail`:
 * the same triggers write the same deliveries, in the same commits. It has no address of its own (`url` is "mailto:"): a mail goes to the
 * address that the account's provider verified at the latest sign-in. An older node finds no host in it, and leaves the delivery for later.
 */
export default `
ALTER TABLE webhook ADD COLUMN channel text NOT NULL DEFAULT 'web';
ALTER TABLE identity ADD COLUMN email text, ADD COLUMN email_at timestamptz
`
