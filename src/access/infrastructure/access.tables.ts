import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../database/tables.js';
import type { ProjectMemberSchema } from './project-member.entity.js';
import type { AppUserSchema } from './sign-in.entities.js';

type AccessTables = TablesOf<typeof AppUserSchema | typeof ProjectMemberSchema>;

/** Typed queries over who belongs to what. */
export const accessTables = (em: EntityManager): Kysely<AccessTables> => typedTables<AccessTables>(em);
