import { Injectable } from '@nestjs/common';
import { EndpointRequests, type EndpointOutcome } from '../../../platform/delivery/endpoint-requests.js';
import { idAt } from '../../../platform/identity/ids.js';
import type { BodyWithEvidence } from '../../evidence/domain/commitment.js';
import type { ClassifiedOutcome } from '../domain/delivery-outcome.js';
import type { Destination } from '../domain/destination.js';
import { type Credentials, outboundBody, outboundHeaders, type Sent } from '../domain/outbound-request.js';
import { TokenVault } from '../infrastructure/secret.rows.js';
import type { StoredTarget } from '../infrastructure/settings.rows.js';

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

const TOKEN_UNREADABLE = 'The stored bearer token can no longer be decrypted. Enter it again.';
const SIGNING_SECRET_UNREADABLE = 'The stored signing secret can no longer be decrypted. Create a new one.';

/** Sends a record to a receiver and classifies the outcome. Used by deliveries and by Test. */
@Injectable()
export class AttemptDelivery {
  constructor(
    private readonly requests: EndpointRequests,
    private readonly vault: TokenVault,
  ) {}

  /**
   * Makes one attempt now unless its host is over a limit. Receiver and network errors are
   * outcomes, never exceptions.
   */
  async attempt(request: DeliveryRequest, signal?: AbortSignal): Promise<AttemptEnd> {
    const { record, sealed, target, destination } = request;
    const { kind, url } = destination;
    const proof = this.credentialsOf(request);
    const end = await this.requests.attempt(
      {
        projectId: record.projectId,
        url,
        kind,
        secrets: 'unreadable' in proof ? proof : secretsOf(proof),
        message: (attemptedAt) => {
          const body = outboundBody(record, sealed);
          return { body, headers: outboundHeaders(record, readable(proof), { body, attemptedAt }) };
        },
        // Visitors choose the other endpoints, so their responses could flood the log.
        keepsBody: kind === 'project' && target?.keepResponseBodies === true,
      },
      signal,
    );
    return end.kind === 'ended' ? { kind: 'ended', outcome: outcomeOf(end.outcome) } : end;
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

/** @throws Error if they are not, a bug: nothing is sent then. */
function readable(proof: Credentials | { unreadable: string }): Credentials {
  if ('unreadable' in proof) throw new Error('a request without its credentials');
  return proof;
}

function outcomeOf({ judgement, ...rest }: EndpointOutcome): ClassifiedOutcome {
  return { id: idAt(rest.attemptedAt), category: null, reason: null, ...judgement, ...rest };
}
