import { defineEntity, p } from '@mikro-orm/core';

/** A user's second factor, written only by better-auth. */
export const UserSecondFactorSchema = defineEntity({
  name: 'UserSecondFactor',
  tableName: 'user_second_factor',
  properties: {
    id: p.uuid().primary(),
    userId: p.uuid(),
    /** Encrypted with AUTH_SECRET. */
    secret: p.text(),
    /** Unused recovery codes, encrypted with AUTH_SECRET. */
    backupCodes: p.text(),
    /** false: set up, but not confirmed by a code. */
    verified: p.boolean().default(false),
    /** Wrong codes in a row at sign-in. */
    failedVerificationCount: p.integer().default(0),
    /** null: not locked. */
    lockedUntil: p.datetime().nullable(),
  },
});

/** A project's requirements for sessions of its members; no row: none. */
export const ProjectSignInPolicySchema = defineEntity({
  name: 'ProjectSignInPolicy',
  tableName: 'project_sign_in_policy',
  properties: { projectId: p.uuid().primary(), secondFactorRequired: p.boolean() },
});

export class ProjectSignInPolicy extends ProjectSignInPolicySchema.class {}
ProjectSignInPolicySchema.setClass(ProjectSignInPolicy);
