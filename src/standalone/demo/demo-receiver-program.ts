/**
 * The demo receiver in its own process, like an owner's receiver; `receiver-process.ts` starts it.
 */
import { LRUCache } from 'lru-cache';
import { useTrustedRoots } from '../../platform/network/trusted-roots.js';
import { DemoReceiver } from './demo-receiver.js';

/**
 * Messages to this process: the order to start, and the requested token (null: the deliveries carry
 * none).
 */
export type ToReceiver =
  | { kind: 'start'; folder: string; token: string }
  | { kind: 'token'; projectId: string; token: string | null }
  | { kind: 'unavailable'; projectId: string };

/** Messages from this process. */
export type FromReceiver =
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; message: string }
  | { kind: 'token'; projectId: string };

/** How long a token is cached, to avoid a request per record. */
const TOKEN_AGE_MAX_MS = 1_000;
const TOKENS_MAX = 100;

useTrustedRoots();

const waiting = new Map<string, PromiseWithResolvers<{ token: string | null }>>();
const tokens = new LRUCache<string, { token: string | null }>({
  max: TOKENS_MAX,
  ttl: TOKEN_AGE_MAX_MS,
  fetchMethod: (projectId) => {
    const known = waiting.get(projectId);
    if (known) return known.promise;
    const pending = Promise.withResolvers<{ token: string | null }>();
    waiting.set(projectId, pending);
    send({ kind: 'token', projectId });
    return pending.promise;
  },
});

process.on('message', (message: ToReceiver) => {
  if (message.kind === 'start') {
    void start(message);
    return;
  }
  const pending = waiting.get(message.projectId);
  waiting.delete(message.projectId);
  if (message.kind === 'token') pending?.resolve({ token: message.token });
  else pending?.reject(new Error('the token cannot be read'));
});
// Ctrl-C reaches the whole process group; the service stops first, so that its last deliveries still arrive.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
// The service has stopped, or was killed.
process.on('disconnect', () => process.exit(0));

async function start({ folder, token }: { folder: string; token: string }): Promise<void> {
  const receiver = new DemoReceiver(folder, token, async (projectId, options) => {
    const found = await tokens.fetch(projectId, { forceRefresh: options?.fresh ?? false });
    return found?.token ?? null;
  });
  try {
    await receiver.start();
    send({ kind: 'listening', port: receiver.port });
  } catch (error) {
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
  }
}

function send(message: FromReceiver): void {
  // A failure means that the service has exited; `disconnect` follows.
  process.send?.(message, () => {});
}
