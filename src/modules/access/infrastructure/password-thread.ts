import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import { answerTasks } from '../../../platform/threads/thread-tasks.js';

/** Hashes a new password, or compares one with a hash. */
export type PasswordTask = { password: string; hash?: string };

/** The parameters of better-auth, whose hash format this is: `<salt in hex>:<key in hex>`. */
const [COST, BLOCK_SIZE, PARALLELIZATION, KEY_BYTES, SALT_BYTES] = [16_384, 16, 1, 64, 16];
/** Twice the memory of scrypt with these parameters. */
const MEMORY_BYTES_MAX = 2 * 128 * COST * BLOCK_SIZE;

// The asynchronous scrypt would use libuv's four threads of the process, which cookies and files need.
answerTasks<PasswordTask, string | boolean>(({ password, hash }) => {
  if (hash === undefined) {
    const salt = randomBytes(SALT_BYTES).toString('hex');
    return `${salt}:${deriveKey(password, salt).toString('hex')}`;
  }
  const [salt, key] = hash.split(':');
  if (!salt || !key) throw new Error('A stored password hash is malformed.');
  const stored = Buffer.from(key, 'hex');
  return stored.length === KEY_BYTES && timingSafeEqual(deriveKey(password, salt), stored);
});

function deriveKey(password: string, salt: string): Buffer {
  return scryptSync(password.normalize('NFKC'), salt, KEY_BYTES, {
    N: COST,
    r: BLOCK_SIZE,
    p: PARALLELIZATION,
    maxmem: MEMORY_BYTES_MAX,
  });
}
