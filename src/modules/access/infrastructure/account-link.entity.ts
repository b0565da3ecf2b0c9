import { defineEntity, p } from '@mikro-orm/core';
import { LINK_KINDS } from '../domain/account-link.js';

/** A mailed link, until it is followed or expires. */
export const AccountLinkSchema = defineEntity({
  name: 'AccountLink',
  tableName: 'account_link',
  properties: {
    id: p.uuid().primary(),
    kind: p.enum(LINK_KINDS),
    /** SHA-256 of the token, so that reading the table isn't enough to use a link. */
    tokenHash: p.blob(),
    /** null: a person without an account. */
    userId: p.uuid().nullable(),
    /** The recipient's address, in lower case. */
    email: p.text(),
    /** The name of the future user; null except for a sign-up. */
    name: p.text().nullable(),
    /** The password hash of the future user; null except for a sign-up. */
    passwordHash: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
  },
});
