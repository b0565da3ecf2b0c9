import {
  CONSENT_ID_HEADER,
  FORWARDER_USER_AGENT,
  PROJECT_ID_HEADER,
} from '../../../../src/platform/identity/brand.js';
import type { DeliveryResponse, ForwardingSettingsResponse } from '../../client/types.gen';

const MASK = '••••••••';

/** A request that was made, or that would have been, had its receiver been reached. */
type Attempt = Pick<DeliveryResponse, 'consentId' | 'attemptedAt' | 'host'>;
type Settings = Pick<ForwardingSettingsResponse, 'endpointUrl' | 'authMode' | 'tokenConfigured' | 'signing'>;

/** Whether an attempt went to today's endpoint: of another one it is not known what it was proved with. */
export function isCurrentEndpoint({ host }: Attempt, { endpointUrl }: Settings): boolean {
  return endpointUrl !== null && new URL(endpointUrl).host === host;
}

/**
 * Method and URL of an attempt's request. The log only stores the host, so the path is the current
 * endpoint's.
 */
export function requestLine(attempt: Attempt, settings: Settings): string {
  const url = isCurrentEndpoint(attempt, settings) ? settings.endpointUrl : `https://${attempt.host}/…`;
  return `POST ${url}`;
}

/**
 * The headers of an attempt's request (spec §4.1), name and value, with token and signature masked. The log stores no
 * headers: whether these two were sent is derived from today's settings, and only for today's endpoint.
 */
export function requestHeaders(projectId: string, attempt: Attempt, settings: Settings): [string, string][] {
  const { consentId, attemptedAt } = attempt;
  const isKnown = isCurrentEndpoint(attempt, settings);
  const hasToken = isKnown && settings.authMode === 'bearer' && settings.tokenConfigured;
  const { createdAt } = settings.signing;
  const isSigned = isKnown && createdAt !== null && createdAt <= attemptedAt;
  return [
    ...(hasToken ? [['Authorization', `Bearer ${MASK}`] as [string, string]] : []),
    [PROJECT_ID_HEADER, projectId],
    [CONSENT_ID_HEADER, consentId],
    ['User-Agent', FORWARDER_USER_AGENT],
    ['Content-Type', 'application/json'],
    ['Accept-Encoding', 'identity'],
    ['webhook-id', consentId],
    ['webhook-timestamp', String(Math.floor(Date.parse(attemptedAt) / 1_000))],
    ...(isSigned ? [['webhook-signature', `v1,${MASK}`] as [string, string]] : []),
  ];
}
