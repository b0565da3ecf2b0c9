import { defineEntity, p } from '@mikro-orm/core';
import { DEVICE_STATES } from '../domain/personal-token.js';

/** A credential of a person for the command line. Only its hash is stored. */
export const PersonalTokenSchema = defineEntity({
  name: 'PersonalToken',
  tableName: 'personal_token',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Name of the machine that asked for it. */
    name: p.text(),
    tokenHash: p.blob(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
    /** UTC, as `2026-11-21`; null: not used yet. */
    lastUsedOn: p.date().nullable(),
  },
});

/** A machine's request for a token, until it gets one or the request expires. */
export const DeviceAuthorizationSchema = defineEntity({
  name: 'DeviceAuthorization',
  tableName: 'device_authorization',
  properties: {
    id: p.uuid().primary(),
    deviceCodeHash: p.blob(),
    userCodeHash: p.blob(),
    deviceName: p.text(),
    network: p.text().nullable(),
    state: p.enum(DEVICE_STATES),
    /** Who approved or denied it. */
    userId: p.uuid().nullable(),
    intervalSeconds: p.smallint(),
    polledAt: p.datetime().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
    expiresAt: p.datetime(),
  },
});
