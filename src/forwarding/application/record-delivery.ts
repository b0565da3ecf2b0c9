import { Injectable } from '@nestjs/common';
import type { ConsentRecorded } from '../../consent/consent.events.js';
import type { Destination } from '../domain/destination.js';
import { judgeEndpointUrl, type EndpointJudgement } from '../domain/endpoint-policy.js';
import { outboundBody, outboundHeaders } from '../domain/outbound-request.js';
import { type Answer, type DeliveryOutcome, judgeResponse } from '../domain/outcome.js';
import { Sender } from '../infrastructure/sender.js';
import { TokenVault } from '../infrastructure/token-vault.js';
import type { StoredTarget } from './forwarding-target.js';

/** A record and where it goes. `target` is null where the project has no settings (legacy endpoint). */
export interface Shipment {
  record: ConsentRecorded;
  destination: Exclude<Destination, { kind: 'skip' }>;
  target: StoredTarget | null;
}

const TOKEN_UNREADABLE: Answer = {
  kind: 'error',
  category: 'configuration',
  reason: 'The stored bearer token cannot be read any more; enter it again.',
};

/** Sends one record to one receiver and judges what came of it: the same for deliveries and for Test. */
@Injectable()
export class RecordDelivery {
  constructor(
    private readonly sender: Sender,
    private readonly vault: TokenVault,
  ) {}

  /** Returns null where `signal` ended the attempt: nobody knows what became of it then. */
  async attempt(shipment: Shipment, signal?: AbortSignal): Promise<DeliveryOutcome | null> {
    const attemptedAt = new Date();
    const judgement = judgeEndpointUrl(shipment.destination.url, this.sender.exceptions);
    if (judgement.kind === 'refused') {
      return outcomeOf(refusalOf(judgement), { attemptedAt, durationMs: 0, host: null });
    }
    const { url } = judgement;
    const token = this.tokenOf(shipment);
    if (token.kind === 'unreadable') {
      return outcomeOf(TOKEN_UNREADABLE, { attemptedAt, durationMs: 0, host: url.host });
    }
    const headers = outboundHeaders(shipment.record, token.value);
    const result = await this.sender.send({ url, headers, body: outboundBody(shipment.record) }, signal);
    if (result.kind === 'aborted') return null;
    return outcomeOf(result.answer, { attemptedAt, durationMs: result.durationMs, host: url.host });
  }

  /** The token goes to the project's own endpoint alone, never to one that came with a request. */
  private tokenOf({
    record,
    destination,
    target,
  }: Shipment): { kind: 'none' | 'token'; value: string | null } | { kind: 'unreadable' } {
    if (destination.kind === 'legacy' || target?.authMode !== 'bearer') return { kind: 'none', value: null };
    const value = target.sealedToken && this.vault.open(record.projectId, target.sealedToken);
    return value === null ? { kind: 'unreadable' } : { kind: 'token', value };
  }
}

function refusalOf({ cause, reason }: Extract<EndpointJudgement, { kind: 'refused' }>): Answer {
  return {
    kind: 'error',
    category: cause === 'not_public' ? 'blocked_address' : 'configuration',
    reason,
  };
}

function outcomeOf(
  answer: Answer,
  context: Pick<DeliveryOutcome, 'attemptedAt' | 'durationMs' | 'host'>,
): DeliveryOutcome {
  return { category: null, reason: null, ...judgeResponse(answer), ...context };
}
