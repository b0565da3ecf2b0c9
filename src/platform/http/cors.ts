import type { ServerResponse } from 'node:http';
import { securityHeaders } from './final-headers.js';

const PREFLIGHT_SECONDS = 86_400;

/**
 * Headers of every response of a route that pages of any site may call, errors included: name and
 * value alternating.
 */
export function corsHeaders(production: boolean): string[] {
  const secure = securityHeaders(production);
  // Helmet's own policy only suits the service's own pages.
  const policyAt = secure.indexOf('Cross-Origin-Resource-Policy');
  if (policyAt !== -1) secure.splice(policyAt, 2);
  return [
    ...secure,
    'Access-Control-Allow-Origin',
    '*',
    'Cross-Origin-Resource-Policy',
    'cross-origin',
    'Access-Control-Expose-Headers',
    'Retry-After',
  ];
}

/** Additional headers of a preflight response: any origin may POST. */
export function preflightHeaders(): string[] {
  return [
    'Access-Control-Allow-Methods',
    'POST',
    'Access-Control-Allow-Headers',
    'Content-Type',
    'Access-Control-Max-Age',
    String(PREFLIGHT_SECONDS),
  ];
}

/** Sets the headers of a response that other code writes. */
export function setHeaders(response: ServerResponse, headers: string[]): void {
  if (response.headersSent) return;
  for (let at = 0; at < headers.length; at += 2) response.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}
