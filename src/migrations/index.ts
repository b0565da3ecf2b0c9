import type { MigrationObject } from '@mikro-orm/core';
import { Migration20261128000000_baseline } from './Migration20261128000000_baseline.js';
import { Migration20261129120000_scan_results } from './Migration20261129120000_scan_results.js';
import { Migration20261129180000_events } from './Migration20261129180000_events.js';
import { Migration20261129210000_imports } from './Migration20261129210000_imports.js';
import { Migration20261129220000_test_events } from './Migration20261129220000_test_events.js';
import { Migration20261129220100_personal_tokens } from './Migration20261129220100_personal_tokens.js';
import { Migration20261129230000_service_choices } from './Migration20261129230000_service_choices.js';
import { Migration20261129230100_organizations } from './Migration20261129230100_organizations.js';

/** Every migration, in order. Listed by hand, so that the compiled and the TypeScript program agree on names. */
export const migrations: MigrationObject[] = [
  { name: 'Migration20261128000000_baseline', class: Migration20261128000000_baseline },
  { name: 'Migration20261129120000_scan_results', class: Migration20261129120000_scan_results },
  { name: 'Migration20261129180000_events', class: Migration20261129180000_events },
  { name: 'Migration20261129210000_imports', class: Migration20261129210000_imports },
  { name: 'Migration20261129220000_test_events', class: Migration20261129220000_test_events },
  { name: 'Migration20261129220100_personal_tokens', class: Migration20261129220100_personal_tokens },
  { name: 'Migration20261129230000_service_choices', class: Migration20261129230000_service_choices },
  { name: 'Migration20261129230100_organizations', class: Migration20261129230100_organizations },
];
