import { defineEntity, p } from '@mikro-orm/core';
import { LINK_KINDS } from '../domain/account-link.js';

/** A link that was mailed, until it is followed or ends. */
export const AccountLinkSchema = defineEntity({
  name: 'AccountLink',
  tableName: 'account_link',
  properties: {
    id: p.uuid().primary(),
    kind: p.enum(LINK_KINDS),
    /** SHA-256 of the token, so that reading the table isn't enough to use a link. */
    tokenHash: p.blob(),
    /** null: of a person who is no user yet. */
    userId: p.uuid().nullable(),
    /** Where the link was mailed to, in lower case. */
    email: p.text(),
    /** What the user will be called; null but for a sign-up. */
    name: p.text().nullable(),
    /** Of the password that the user will have; null but for a sign-up. */
    passwordHash: p.text().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
  },
});
