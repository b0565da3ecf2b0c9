import { defineEntity, p } from '@mikro-orm/core';

/** A project's path proxy: how it proves itself, and when it was seen. */
export const FirstPartyProxySchema = defineEntity({
  name: 'FirstPartyProxy',
  tableName: 'first_party_proxy',
  properties: {
    projectId: p.uuid().primary(),
    secretHash: p.blob().nullable(),
    secretCreatedAt: p.datetime().nullable(),
    formerSecretHash: p.blob().nullable(),
    formerValidUntil: p.datetime().nullable(),
    /** Last request with a valid secret, and the host and path prefix that it named. */
    provenAt: p.datetime().nullable(),
    host: p.text().nullable(),
    prefix: p.text().nullable(),
    /** Last request without one. */
    unprovenAt: p.datetime().nullable(),
  },
});
