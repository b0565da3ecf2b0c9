import { createHash } from 'node:crypto';
import { ApiHeader } from '@nestjs/swagger';
import { DomainError } from '../errors/domain-error.js';

/** A strong entity tag of the values that a client may change. */
export function entityTag(values: Record<string, unknown>): string {
  return `"${createHash('sha256').update(JSON.stringify(values)).digest('base64url').slice(0, 22)}"`;
}

/**
 * Allows a change without `If-Match`, or based on the current state.
 *
 * @throws DomainError `version_conflict` (412)
 */
export function requireMatch(ifMatch: string | undefined, current: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const given = ifMatch.split(',').map((tag) => tag.trim());
  if (given.includes(current)) return;
  throw new DomainError(
    'version_conflict',
    'Someone else changed this. Read it again, then reapply your change.',
  );
}

/**
 * Whether the client has the content of `etag`: the weak comparison that `If-None-Match` requires
 * (RFC 9110 §13.1.2). Express returns 200 if the request also has `Cache-Control: no-cache`, which
 * the loader sends and which fetch adds to every `If-None-Match`. That directive is for caches; a
 * server compares.
 */
export function isUnchanged(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

/** Documents that a route takes `If-Match`. */
export const IfMatchHeader = (): MethodDecorator =>
  ApiHeader({
    name: 'If-Match',
    required: false,
    description: 'ETag that the change is based on; omit to overwrite any version',
  });
