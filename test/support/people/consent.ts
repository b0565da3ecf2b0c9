import { CONSENT_RECORDED } from '../../../src/modules/consent/domain/consent-recorded.js';
import type { OutboxMessage } from '../../../src/platform/outbox/domain/outbox-message.js';
import { newId, uuidTimeMs } from '../../../src/platform/identity/ids.js';
import { CONSENT_RECORDS } from '../../../src/modules/consent/infrastructure/consent-writer.js';
import { ensurePartitions } from '../../../src/platform/database/partitions.js';
import type { TestService } from '../programs/service.js';

/** Fields of a stored record that a test may choose. */
export interface StoredConsent {
  id: string;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  action: string;
  hostname: string | null;
  customEndpoint: string | null;
  extra: Record<string, unknown> | null;
}

/** Stores a record straight in the database, without announcing it. Returns its id. */
export async function storeConsent(
  service: TestService,
  projectId: string,
  fields: Partial<StoredConsent> = {},
): Promise<string> {
  const record: StoredConsent = {
    id: newId(),
    analytics: true,
    marketing: false,
    preferences: true,
    action: 'custom',
    hostname: 'www.example.com',
    customEndpoint: null,
    extra: null,
    ...fields,
  };
  await ensureMonth(service, new Date(uuidTimeMs(record.id)));
  await service.database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname,
                                 custom_endpoint, extra)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      projectId,
      record.id,
      record.analytics,
      record.marketing,
      record.preferences,
      record.action,
      record.hostname,
      record.customEndpoint,
      record.extra && JSON.stringify(record.extra),
    ],
  );
  return record.id;
}

/** Sends choices as a banner does, one after the other; each is stored. */
export async function postChoices(
  service: TestService,
  projectId: string,
  choices: readonly object[],
): Promise<void> {
  for (const choice of choices) {
    const response = await fetch(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(choice),
    });
    if (response.status !== 201) throw new Error(`a choice was answered ${response.status}`);
  }
}

/** A message about a record, as the outbox would hand it to the handler; not stored. */
export function messageAbout(projectId: string, consentId: string): OutboxMessage {
  return {
    part: 0,
    orderingKey: projectId,
    projectId,
    id: 1,
    topic: CONSENT_RECORDED,
    subjectId: consentId,
    payload: null,
    abandonedAttempts: 0,
    probeNumber: null,
    failures: 0,
    createdAt: new Date(),
  };
}

export async function ensureMonth(service: TestService, at: Date): Promise<void> {
  await ensurePartitions(service.database.orm.em, CONSENT_RECORDS, { from: at, to: at });
}
