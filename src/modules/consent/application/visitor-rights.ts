import { Inject, Injectable } from '@nestjs/common';
import { PreparedReads, type Reads } from '../../../platform/database/prepared-reads.js';
import { readController } from '../../projects/project.rows.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { ConsentHooks } from '../consent.hooks.js';
import { type ConsentSettings, consentSettings } from '../consent.settings.js';
import { type ConsentReceiptDocument, receiptOf } from '../domain/consent-receipt.js';
import type { ConsentRecorded } from '../domain/consent-recorded.js';
import { VISITOR_KEY_HASH_FIELD } from '../domain/visitor-reference.js';
import type { KeyHolder, VisitorRequest } from '../domain/visitor-request.js';
import { KEY_RECORDS_MAX, recordsOfKey } from '../infrastructure/record.rows.js';
import { type ConsentItem, itemOf } from './consent.reader.js';
import { type ConsentReceipt, ConsentService } from './consent.service.js';
import { type KeyErasure, VisitorErasure } from './erasure.service.js';

/** The records stored under a visitor key. */
export interface KeyRecords {
  items: ConsentItem[];
  /** Whether older records exist. */
  more: boolean;
}

/**
 * Visitors' access to their own records, authorized by the key on their device (ADR 43). A wrong
 * key, project or record always gets the same response: nothing is stored under this key.
 */
@Injectable()
export class VisitorRights {
  constructor(
    @Inject(PreparedReads) private readonly reads: Reads,
    private readonly hooks: ConsentHooks,
    private readonly consents: ConsentService,
    private readonly erasures: VisitorErasure,
    @InjectSettings(consentSettings) private readonly settings: ConsentSettings,
  ) {}

  /**
   * The visitor's newest records, newest first.
   * @throws DomainError `consent_not_found`
   */
  async records({ holder }: VisitorRequest): Promise<KeyRecords> {
    const records = await this.stored(holder);
    const items = records.slice(0, KEY_RECORDS_MAX).map(itemOf);
    return { items, more: records.length > items.length };
  }

  /** The receipt of one of them, or of the newest. @throws DomainError `consent_not_found` */
  async receipt({ holder, consentId }: VisitorRequest, now: Date): Promise<ConsentReceiptDocument> {
    const records = await this.stored(holder);
    const record = consentId === null ? records[0] : records.find(({ id }) => id === consentId);
    if (!record) throw nothingStored();
    const { retentionMonths } = this.settings;
    const { projectId } = record;
    const [proof, controller] = await Promise.all([
      this.hooks.current.proveForReceipt({ projectId, consentId: record.id }),
      readController(this.reads, projectId),
    ]);
    return receiptOf(record, { receiptId: newId(), issuedAt: now, retentionMonths, proof, controller });
  }

  /**
   * Stores a withdrawal like any other choice, with the additional fields of the request. A
   * hostname or legacy endpoint that is missing is copied from the visitor's newest record, so the
   * withdrawal is forwarded to the same place. `withdraws` names that record for the receiver. A
   * repeated request with the same id is not stored again.
   * @throws DomainError `consent_not_found`, and as `ConsentService.record`
   */
  async withdraw({ holder, fields }: VisitorRequest, now: Date): Promise<ConsentReceipt> {
    const records = await this.stored(holder);
    const again = records.find(({ id, action }) => id === fields.id && action === 'withdraw');
    if (again) return { id: again.id, receivedAt: again.receivedAt, duplicate: true };
    const { id, hostname, customEndpoint } = records[0];
    // All services are refused with their categories.
    const { services: _, ...given } = fields;
    const body = {
      hostname,
      custom_endpoint: customEndpoint,
      surface: 'api',
      ...given,
      analytics: false,
      marketing: false,
      preferences: false,
      action: 'withdraw',
      withdraws: id,
      [VISITOR_KEY_HASH_FIELD]: holder.visitorKeyHash.toString('hex'),
    };
    // No origin is checked: the key authorizes the request, from any page.
    return this.consents.record(holder.projectId, body, undefined, now);
  }

  /**
   * Erases one record of the visitor, or all received until now.
   * @throws DomainError `consent_not_found`
   */
  async erase({ holder, consentId }: VisitorRequest): Promise<KeyErasure> {
    const erasure =
      consentId === null
        ? await this.erasures.eraseAll(holder)
        : await this.erasures.eraseOne(holder, consentId);
    if (!erasure) throw nothingStored();
    return erasure;
  }

  private async stored({
    projectId,
    visitorKeyHash,
  }: KeyHolder): Promise<[ConsentRecorded, ...ConsentRecorded[]]> {
    const [newest, ...older] = await recordsOfKey(this.reads, projectId, visitorKeyHash);
    if (!newest) throw nothingStored();
    return [newest, ...older];
  }
}

function nothingStored(): DomainError {
  return new DomainError('consent_not_found', 'No records found for this key.');
}
