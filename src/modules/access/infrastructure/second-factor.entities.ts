import { defineEntity, p } from '@mikro-orm/core';

/** A person's second factor; better-auth alone writes it. */
export const UserSecondFactorSchema = defineEntity({
  name: 'UserSecondFactor',
  tableName: 'user_second_factor',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Encrypted with AUTH_SECRET. */
    secret: p.text(),
    /** Recovery codes that were not used yet, encrypted with AUTH_SECRET. */
    backupCodes: p.text(),
    /** false: set up, and no code of it was shown yet. */
    verified: p.boolean().default(false),
    /** Wrong codes in a row at sign-in. */
    failedVerificationCount: p.integer().default(0),
    /** null: not locked. */
    lockedUntil: p.datetime().nullable(),
  },
});

/** What a project asks of who enters it with a session; no row: no more than the session. */
export const ProjectSignInPolicySchema = defineEntity({
  name: 'ProjectSignInPolicy',
  tableName: 'project_sign_in_policy',
  properties: {
    projectId: p.uuid().primary(),
    secondFactorRequired: p.boolean(),
  },
});
