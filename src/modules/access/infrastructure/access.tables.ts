import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type { AccountLinkSchema } from './account-link.entity.js';
import type { DeviceAuthorizationSchema, PersonalTokenSchema } from './personal-token.entities.js';
import type { ProjectMemberSchema } from './project-member.entity.js';
import type { ProjectSignInPolicySchema, UserSecondFactorSchema } from './second-factor.entities.js';
import type { AppUserSchema, UserAccountSchema, UserSessionSchema } from './sign-in.entities.js';

type AccessTables = TablesOf<
  | typeof AccountLinkSchema
  | typeof AppUserSchema
  | typeof DeviceAuthorizationSchema
  | typeof PersonalTokenSchema
  | typeof ProjectMemberSchema
  | typeof ProjectSignInPolicySchema
  | typeof UserAccountSchema
  | typeof UserSecondFactorSchema
  | typeof UserSessionSchema
>;

/** Typed queries over memberships, accounts and sign-in. */
export const accessTables = (em: EntityManager): Kysely<AccessTables> => typedTables<AccessTables>(em);
