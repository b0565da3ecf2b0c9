import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../platform/identity/ids.js';
import { readUnsubscribeToken, writeUnsubscribeToken } from './unsubscribe-token.js';

const [OLD, KEY] = [randomBytes(32), randomBytes(32)];
const ADA = { projectId: newId(), userId: newId() };

describe(readUnsubscribeToken.name, () => {
  it('reads what one of the keys wrote, also after a rotation', () => {
    expect(readUnsubscribeToken(writeUnsubscribeToken(ADA, OLD), [KEY, OLD])).toEqual(ADA);
    expect(readUnsubscribeToken(writeUnsubscribeToken(ADA, OLD), [KEY])).toBeNull();
    expect(readUnsubscribeToken(writeUnsubscribeToken(ADA, OLD), [])).toBeNull();
  });

  it('refuses each changed byte, and what is no token', () => {
    const bytes = Buffer.from(writeUnsubscribeToken(ADA, KEY), 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(readUnsubscribeToken(changed.toString('base64url'), [KEY])).toBeNull();
    }
    for (const text of ['', 'x', bytes.toString('base64'), `${bytes.toString('base64url')}A`, 'ä'.repeat(86)])
      expect(readUnsubscribeToken(text, [KEY])).toBeNull();
  });
});
