import { Injectable } from '@nestjs/common';
import { EndpointRequests, type EndpointAttemptEnd } from '../../../platform/delivery/endpoint-requests.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { dataOf } from '../domain/catalogue.js';
import { type EventBody, eventHeaders, type ProjectEvent } from '../domain/event.js';
import { EndpointVault } from '../infrastructure/endpoint-vault.js';
import type { EndpointRow } from '../infrastructure/endpoint.rows.js';

const SECRET_UNREADABLE = 'The stored signing secret can no longer be decrypted. Rotate it.';

/** The part of an endpoint that an attempt needs. */
export type AttemptTarget = Pick<
  EndpointRow,
  | 'projectId'
  | 'id'
  | 'url'
  | 'keepResponseBodies'
  | 'secretCiphertext'
  | 'secretKeyId'
  | 'formerSecretCiphertext'
  | 'formerSecretKeyId'
>;

/** Sends an event to an endpoint. Used by deliveries and by Test. */
@Injectable()
export class EventAttempts {
  private readonly baseUrl: string;

  constructor(
    private readonly requests: EndpointRequests,
    private readonly vault: EndpointVault,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.baseUrl = resolveBaseUrl(service);
  }

  /** The event as receivers and the API get it. */
  bodyOf(event: ProjectEvent): EventBody {
    const { type, createdAt } = event;
    return { type, timestamp: createdAt.toISOString(), data: dataOf(event, this.baseUrl) };
  }

  /** Makes one attempt now, unless its host is over a limit. Never throws for a receiver or the network. */
  attempt(event: ProjectEvent, target: AttemptTarget, signal?: AbortSignal): Promise<EndpointAttemptEnd> {
    const secrets = this.vault.open(target, target);
    const body = JSON.stringify(this.bodyOf(event));
    return this.requests.attempt(
      {
        projectId: event.projectId,
        url: target.url,
        kind: 'project',
        secrets: secrets ?? { unreadable: SECRET_UNREADABLE },
        message: (attemptedAt) => ({
          body,
          headers: eventHeaders(event.id, { body, secrets: secrets ?? [], attemptedAt }),
        }),
        keepsBody: target.keepResponseBodies,
      },
      signal,
    );
  }
}
