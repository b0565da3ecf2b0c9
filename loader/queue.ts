import { readJson, writeJson } from './storage';

/** The result of a choice for the page; `stored` false: it is queued and sent by the next page. */
interface Receipt {
  id: string;
  stored: boolean;
  /** The service's answer; 0: none came. */
  status: number;
  detail?: string;
}

export interface ConsentQueue {
  send(id: string, body: string): Promise<Receipt>;
  flush(): void;
}

/** More than a visitor decides while the service is away. */
const WAITING_MAX = 20;

/**
 * Choices on their way. Each is kept before it is sent and forgotten when the service has answered; the id in
 * it makes a second sending harmless, so one is sent rather twice than never.
 */
export function consentQueue(key: string, url: () => URL): ConsentQueue {
  const underWay = new Set<string>();

  const waiting = (): [string, string][] => {
    const entries = readJson<[string, string][]>(key);
    return Array.isArray(entries) ? entries : [];
  };
  const idle = (): [string, string][] => waiting().filter(([id]) => !underWay.has(id));

  const post = async (id: string, body: string): Promise<Receipt> => {
    underWay.add(id);
    let status = 0;
    let stored = false;
    let detail: string | undefined;
    try {
      const response = await fetch(url(), {
        method: 'POST',
        keepalive: true,
        credentials: 'omit',
        // As text, so that no browser asks first whether it may send.
        body,
      });
      ({ status, ok: stored } = response);
      // Whatever else the service refuses, it will refuse again.
      if (status < 500 && status !== 429 && status !== 408) {
        writeJson(
          key,
          waiting().filter((entry) => entry[0] !== id),
        );
      }
      if (!stored) ({ detail } = (await response.json()) as { detail?: string });
    } catch {
      // Away: it waits for the next page.
    }
    underWay.delete(id);
    return { id, stored, status, detail };
  };
  const flush = (): void => idle().forEach(([id, body]) => void post(id, body));

  // A request that is under way outlives the page by `keepalive`; the others get a last chance.
  addEventListener('pagehide', () => idle().forEach(([, body]) => navigator.sendBeacon?.(url(), body)));
  addEventListener('online', flush);
  return {
    send: (id, body) => {
      writeJson(key, [...waiting(), [id, body]].slice(-WAITING_MAX));
      return post(id, body);
    },
    flush,
  };
}
