/**
 * Choices being sent. Each is stored before it is sent and deleted once the service has responded.
 * Its id makes a repeated request harmless, so it is sent twice rather than never.
 */
import { consentUrl } from './configuration';
import { storageKey } from './page';
import { listOf, readJson, writeJson } from './storage';

/** The result of a choice for the page; `stored` false: it is queued and sent by the next page. */
interface Receipt {
  id: string;
  stored: boolean;
  /** The service's response; 0: none. */
  status: number;
  detail?: string;
}

/** More than a visitor decides while the service is unavailable. */
const QUEUE_MAX = 20;

const inFlight = new Set<string>();

const queued = (): [string, string][] => listOf(readJson(storageKey('queue'))) as [string, string][];
const idle = (): [string, string][] => queued().filter(([id]) => !inFlight.has(id));

const postChoice = async (id: string, body: string): Promise<Receipt> => {
  inFlight.add(id);
  let status = 0;
  let stored = false;
  let detail: string | undefined;
  try {
    const response = await fetch(consentUrl(), {
      method: 'POST',
      keepalive: true,
      // With cookies only on the page's own host, where the response may set the choice cookie. As
      // text, so that browsers send no preflight request.
      body,
    });
    ({ status, ok: stored } = response);
    // Any other refusal is final.
    if (status < 500 && status !== 429 && status !== 408)
      writeJson(
        storageKey('queue'),
        queued().filter(([each]) => each !== id),
      );
    ({ detail } = (await response.json()) as { detail?: string });
  } catch {
    // Unavailable: the next page sends it.
  }
  inFlight.delete(id);
  return { id, stored, status, detail };
};

export const sendChoice = (id: string, body: string): Promise<Receipt> => {
  writeJson(storageKey('queue'), [...queued(), [id, body]].slice(-QUEUE_MAX));
  return postChoice(id, body);
};

export const flushQueue = (): void => idle().forEach((entry) => void postChoice(...entry));

export const startQueue = (): void => {
  // A request in flight outlives the page by `keepalive`; the others get a last chance.
  addEventListener('pagehide', () =>
    idle().forEach(([, body]) => navigator.sendBeacon?.(consentUrl(), body)),
  );
  addEventListener('online', flushQueue);
};
