import { createHash } from 'node:crypto';
import type { ImportProfile } from './import.js';

/**
 * The id of an imported consent: a UUIDv7 of the time at which it was given. All other bits are a hash of where it came
 * from, so a second import of the same consent has the same id.
 */
export function importedId(source: {
  projectId: string;
  profile: ImportProfile;
  originalId: string;
  givenAt: Date;
}): string {
  const ms = source.givenAt.getTime();
  const digest = createHash('sha256')
    .update([source.projectId, source.profile, source.originalId, ms].join('\0'))
    .digest('hex');
  const time = ms.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 0b0011) | 0b1000).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}
