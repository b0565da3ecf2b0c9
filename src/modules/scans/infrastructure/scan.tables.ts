import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import { type TablesOf, typedTables } from '../../../platform/database/tables.js';
import type {
  CookieDecisionSchema,
  ScanFindingSchema,
  ScanFindingSeenSchema,
  SiteItemSchema,
} from './finding.entities.js';
import type {
  ScanAlertChoiceSchema,
  ScanArtifactSchema,
  ScanHostScanSchema,
  ScanAccountHourSchema,
  ScanHostSchema,
  ScanItemSchema,
  ScannerSchema,
  ScanPageSchema,
  ScanProofSchema,
  ScanSchema,
  ScanStateSchema,
  ScanScheduleSchema,
} from './scan.entities.js';

type ScanTables = TablesOf<
  | typeof ScanSchema
  | typeof ScanPageSchema
  | typeof ScanItemSchema
  | typeof ScanStateSchema
  | typeof ScanArtifactSchema
  | typeof ScanProofSchema
  | typeof ScanScheduleSchema
  | typeof ScanAlertChoiceSchema
  | typeof ScannerSchema
  | typeof ScanHostSchema
  | typeof ScanHostScanSchema
  | typeof ScanAccountHourSchema
  | typeof SiteItemSchema
  | typeof CookieDecisionSchema
  | typeof ScanFindingSchema
  | typeof ScanFindingSeenSchema
>;

/** Typed queries over scans. */
export const scanTables = (em: EntityManager): Kysely<ScanTables> => typedTables<ScanTables>(em);
