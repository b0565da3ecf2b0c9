import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { LRUCache } from 'lru-cache';
import { unknownProject } from '../../projects/domain/project.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { consentKey, type ConsentRecorded } from '../domain/consent-recorded.js';
import { ConsentRecords } from '../consent.records.js';
import { type ConsentInput, originHost, parseConsent } from '../domain/consent-input.js';
import { keptFields, VISITOR_KEY_HASH_FIELD, type VisitorReference } from '../domain/visitor-reference.js';
import type { ConsentRow } from '../infrastructure/consent-statement.js';
import { ConsentWriter } from '../infrastructure/consent-writer.js';
import { findVisitorReference } from '../infrastructure/visitor-reference.rows.js';

/** How long requests for an unknown project are refused without a query. */
const UNKNOWN_PROJECT_MS = 5_000;
/** Number of cached unknown projects, most recent first; together about 2 MB. */
const UNKNOWN_PROJECTS_MAX = 10_000;

/** The response to the visitor's banner. */
export interface ConsentReceipt {
  id: string;
  receivedAt: Date;
  /** The same decision was stored before. */
  duplicate: boolean;
}

/** Stores consent choices (design §6.1). */
@Injectable()
export class ConsentService {
  private readonly unknownProjects = new LRUCache<string, true>({
    max: UNKNOWN_PROJECTS_MAX,
    ttl: UNKNOWN_PROJECT_MS,
  });

  constructor(
    private readonly writer: ConsentWriter,
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  /**
   * Stores one choice; resolves after the commit of the record and its outbox message. `origin` is
   * the request's `Origin` header.
   * @throws DomainError validation_failed, project_not_found, origin_not_allowed,
   * consent_id_conflict, overloaded, temporarily_unavailable
   */
  async record(
    projectId: string,
    body: unknown,
    origin: string | undefined,
    now: Date,
  ): Promise<ConsentReceipt> {
    const consent = this.check(body, now);
    if (this.unknownProjects.has(projectId)) throw unknownProject();
    const row: ConsentRow = {
      ...consent,
      projectId,
      id: consent.id ?? newId(),
      originHost: originHost(origin, { production: this.service.production }),
    };
    const written = await this.writer.write(row);
    switch (written.kind) {
      case 'inserted':
        return { id: row.id, receivedAt: written.receivedAt, duplicate: false };
      case 'conflict':
        return this.answerKnownId(row);
      case 'unknown_project':
        this.unknownProjects.set(projectId, true);
        throw unknownProject();
      case 'origin_refused':
        throw new DomainError('origin_not_allowed', 'Origin is not one of the project’s domains.');
    }
  }

  private check(body: unknown, now: Date): ConsentInput {
    const parsed = parseConsent(body, now);
    if (parsed.kind === 'valid') return parsed.consent;
    throw new DomainError('validation_failed', 'The consent was not stored. See errors.', {
      errors: parsed.errors,
    });
  }

  /** The id exists already: a repeat of the same choice succeeds, a different choice is a conflict. */
  private async answerKnownId(row: ConsentRow): Promise<ConsentReceipt> {
    const ref = { projectId: row.projectId, consentId: row.id };
    const stored = (await this.records.load([ref])).get(consentKey(ref));
    if (!stored)
      throw new DomainError(
        'temporarily_unavailable',
        'This record is being erased. Send the choice again with a new id.',
      );
    const reference = await findVisitorReference(this.em.fork(), row.projectId);
    if (!isSameChoice(stored, row, reference)) {
      throw new DomainError(
        'consent_id_conflict',
        'A different choice is stored under this id. Generate a new id for each decision.',
      );
    }
    return { id: stored.id, receivedAt: stored.receivedAt, duplicate: true };
  }
}

/**
 * If the project stores only a hash of the visitor reference, the stored record has the value or
 * its hash; both match.
 */
function isSameChoice(stored: ConsentRecorded, row: ConsentRow, reference: VisitorReference): boolean {
  const sent = row.extraJson === null ? null : (JSON.parse(row.extraJson) as Record<string, unknown>);
  const extras = [sent, keptFields(sent, { ...reference, hashed: true })];
  return (
    stored.analytics === row.analytics &&
    stored.marketing === row.marketing &&
    stored.preferences === row.preferences &&
    stored.action === row.action &&
    stored.hostname === row.hostname &&
    stored.customEndpoint === row.customEndpoint &&
    extras.some((extra) => isDeepStrictEqual(besideTheFlags(stored), besideTheFlags({ ...row, extra })))
  );
}

/**
 * The choice as the banner sent it: a field that is known today was an additional one when an older
 * record was stored. The visitor key isn't part of the choice.
 */
function besideTheFlags({
  extra,
  configHash,
  language,
  surface,
  services,
}: Pick<ConsentRecorded, 'extra' | 'configHash' | 'language' | 'surface' | 'services'>): object {
  const { [VISITOR_KEY_HASH_FIELD]: _, ...fields } = extra ?? {};
  return {
    ...fields,
    ...(configHash !== null && { configHash }),
    ...(language !== null && { language }),
    ...(surface !== null && { surface }),
    ...(services !== null && { services }),
  };
}
