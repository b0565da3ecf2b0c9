import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { BodyWithEvidence } from '../../evidence/domain/commitment.js';
import { type Destination, type EndpointJudgement, judgeEndpointUrl } from '../domain/endpoint-policy.js';
import { type Credentials, outboundBody, outboundHeaders, type Sent } from '../domain/outbound-request.js';
import { type Answer, type DeliveryOutcome, judgeResponse } from '../domain/outcome.js';
import { type ClassifiedOutcome, healthSignalOf } from '../domain/health-signal.js';
import { storedResponseBody } from '../domain/response-body.js';
import { idAt } from '../../../platform/identity/ids.js';
import { Sender } from '../infrastructure/sender.js';
import { TokenVault } from '../infrastructure/secret.rows.js';
import type { StoredTarget } from '../infrastructure/settings.rows.js';
import { TargetRateLimiter } from './target-rate-limiter.js';

/** A record and its destination. `target` is null if the project has no settings (legacy endpoint). */
export interface DeliveryRequest {
  record: Sent;
  /** The sealed body, which its receiver can use as a witness copy; null: the record is not sealed. */
  sealed: BodyWithEvidence | null;
  destination: Exclude<Destination, { kind: 'skip' }>;
  target: StoredTarget | null;
}

/**
 * How an attempt ended: with an outcome, `aborted` by the worker with an unknown outcome, or
 * snoozed because its host or address is over its limit.
 */
export type AttemptEnd =
  { kind: 'ended'; outcome: ClassifiedOutcome } | { kind: 'aborted' } | { kind: 'snooze'; afterMs: number };

/**
 * Endpoint URLs whose judgement is cached, least recently used evicted; a URL has 2,048 characters at most.
 */
const JUDGED_URLS_MAX = 1_000;

const TOKEN_UNREADABLE = 'The stored bearer token can no longer be decrypted. Enter it again.';
const SIGNING_SECRET_UNREADABLE = 'The stored signing secret can no longer be decrypted. Create a new one.';

/** Sends a record to a receiver and classifies the outcome. Used by deliveries and by Test. */
@Injectable()
export class AttemptDelivery {
  /** Cached by URL: the result depends only on the URL and on settings, which do not change at run time. */
  private readonly judged = new LRUCache<string, EndpointJudgement>({ max: JUDGED_URLS_MAX });

  constructor(
    private readonly sender: Sender,
    private readonly vault: TokenVault,
    private readonly limiter: TargetRateLimiter,
  ) {}

  /**
   * Makes one attempt now unless its host is over a limit. Receiver and network errors are
   * outcomes, never exceptions.
   */
  async attempt(request: DeliveryRequest, signal?: AbortSignal): Promise<AttemptEnd> {
    const attemptedAt = new Date();
    const { kind } = request.destination;
    const judgement = this.judge(request.destination.url);
    if (judgement.kind === 'refused')
      return outcomeOf(refusalOf(judgement), kind, { attemptedAt, durationMs: 0, host: null });
    const { url } = judgement;
    const proof = this.credentialsOf(request);
    if ('unreadable' in proof) {
      const answer = { kind: 'error', category: 'configuration', reason: proof.unreadable } as const;
      return outcomeOf(answer, kind, { attemptedAt, durationMs: 0, host: url.host });
    }
    const { projectId } = request.record;
    const permit = this.limiter.acquire({ projectId, hostname: url.hostname, kind });
    if ('afterMs' in permit) return { kind: 'snooze', afterMs: permit.afterMs };
    const body = outboundBody(request.record, request.sealed);
    const headers = outboundHeaders(request.record, proof, { body, attemptedAt });
    // Visitors choose the other endpoints, so their responses could flood the log.
    const keepsBody = kind === 'project' && request.target?.keepResponseBodies === true;
    const result = await this.sender.send({ url, headers, body, limiter: permit, keepsBody }, signal);
    if (result.kind === 'snooze') permit.cancel();
    if (result.kind !== 'answered') return result;
    const context = { attemptedAt, durationMs: result.durationMs, host: url.host };
    const end = outcomeOf(result.answer, kind, { ...context, secrets: secretsOf(proof) });
    permit.release({ delivered: end.outcome.outcome === 'delivered', address: result.address });
    return end;
  }

  private judge(text: string): EndpointJudgement {
    const known = this.judged.get(text);
    if (known) return known;
    const judgement = judgeEndpointUrl(text, this.sender.exceptions);
    this.judged.set(text, judgement);
    return judgement;
  }

  /** Token and signature are only for the project's own endpoint, never for one from a request. */
  private credentialsOf({
    record: { projectId },
    destination,
    target,
  }: DeliveryRequest): Credentials | { unreadable: string } {
    if (destination.kind === 'legacy' || !target) return { bearerToken: null, signingSecrets: [] };
    const bearerToken =
      target.authMode === 'bearer' && target.sealedToken
        ? this.vault.open(projectId, target.sealedToken)
        : null;
    if (target.authMode === 'bearer' && bearerToken === null) return { unreadable: TOKEN_UNREADABLE };
    const signingSecrets: string[] = [];
    for (const sealed of target.sealedSigningSecrets) {
      const secret = this.vault.open(projectId, sealed, 'signing_secret');
      if (secret === null) return { unreadable: SIGNING_SECRET_UNREADABLE };
      signingSecrets.push(secret);
    }
    return { bearerToken, signingSecrets };
  }
}

/** Secrets of a request that a stored response must not repeat. */
function secretsOf({ bearerToken, signingSecrets }: Credentials): string[] {
  return bearerToken === null ? [...signingSecrets] : [bearerToken, ...signingSecrets];
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
  destination: DeliveryRequest['destination']['kind'],
  {
    secrets = [],
    ...context
  }: Pick<DeliveryOutcome, 'attemptedAt' | 'durationMs' | 'host'> & { secrets?: string[] },
): { kind: 'ended'; outcome: ClassifiedOutcome } {
  const health = healthSignalOf(answer, destination, new Date());
  const received = answer.kind === 'status' ? answer.body : undefined;
  return {
    kind: 'ended',
    outcome: {
      id: idAt(context.attemptedAt),
      category: null,
      reason: null,
      ...judgeResponse(answer),
      ...context,
      ...(received !== undefined && { responseBody: storedResponseBody(received, secrets) }),
      health,
    },
  };
}
