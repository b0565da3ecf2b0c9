import type { ConsentResponse } from '../../client/types.gen';

/** Version of the body (spec §2.1). */
const SCHEMA_VERSION = 1;

/**
 * The body of an attempt's request: the record, as its receiver gets it. It never changes, unlike `evidence`, which is
 * added to the body of a record that is stored with a salt.
 */
export function requestBody(record: ConsentResponse): Record<string, unknown> {
  const { id, projectId, analytics, marketing, preferences, action, hostname, receivedAt } = record;
  const { configHash, language, surface, additionalFields } = record;
  return {
    // The fields of the record win over additional ones of the same name.
    ...additionalFields,
    schemaVersion: SCHEMA_VERSION,
    id,
    projectId,
    analytics,
    marketing,
    preferences,
    action,
    hostname,
    receivedAt,
    ...(configHash !== null && { configHash }),
    ...(language !== null && { language }),
    ...(surface !== null && { surface }),
  };
}
