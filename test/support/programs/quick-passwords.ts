import { createHash, timingSafeEqual } from 'node:crypto';
import type { INestApplication } from '@nestjs/common';
import { Passwords } from '../../../src/modules/access/infrastructure/passwords.js';

const PREFIX = 'quick:';

/**
 * Replaces scrypt in an application under test. A password hash is slow by design, so hundreds of sign-ins would
 * measure the machine. Hashes of other origin are still compared by scrypt.
 */
export function useQuickPasswords(app: INestApplication): void {
  const passwords = app.get(Passwords, { strict: false });
  const matches = passwords.matches.bind(passwords);
  passwords.hash = (password) => Promise.resolve(quickHash(password));
  passwords.matches = async (password, hash) =>
    hash.startsWith(PREFIX)
      ? timingSafeEqual(Buffer.from(quickHash(password)), Buffer.from(hash))
      : matches(password, hash);
}

/** For tests about passwords themselves: undoes `useQuickPasswords`. */
export function useRealPasswords(app: INestApplication): void {
  const passwords: Partial<Passwords> = app.get(Passwords, { strict: false });
  delete passwords.hash;
  delete passwords.matches;
}

function quickHash(password: string): string {
  return PREFIX + createHash('sha256').update(password.normalize('NFKC')).digest('hex');
}
