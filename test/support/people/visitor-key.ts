import { createHash, randomBytes } from 'node:crypto';

/**
 * The secrets of a visitor's device: the key, and the hash of it that the banner sends
 * (docs/visitors.md).
 */
export function makeVisitorKey(madeAt = new Date()): { visitorKey: string; visitorKeyHash: string } {
  const time = madeAt.getTime().toString(16).padStart(12, '0');
  const random = randomBytes(32);
  return {
    visitorKey: time + random.toString('hex'),
    visitorKeyHash: time + createHash('sha256').update(random).digest('hex'),
  };
}
