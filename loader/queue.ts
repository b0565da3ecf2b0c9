import { readJson, writeJson } from './storage';

/** What a page is told of its choice; `stored` false: it waits, and is sent with the next page. */
export interface Receipt {
  id: string;
  stored: boolean;
  /** The service's answer; 0: none came. */
  status: number;
  detail?: string;
}

/** More than a visitor decides while the service is away. */
const WAITING_MAX = 20;

/**
 * Choices on their way. Each is kept before it is sent and forgotten when the service has answered; the id in
 * it makes a second sending harmless, so one is sent rather twice than never.
 */
export class ConsentQueue {
  private readonly underWay = new Set<string>();

  constructor(
    private readonly key: string,
    private readonly url: () => string,
  ) {
    addEventListener('pagehide', () => this.beacon());
    addEventListener('online', () => this.flush());
  }

  send(id: string, body: string): Promise<Receipt> {
    writeJson(this.key, [...this.waiting(), [id, body]].slice(-WAITING_MAX));
    return this.post(id, body);
  }

  flush(): void {
    for (const [id, body] of this.waiting()) {
      if (!this.underWay.has(id)) void this.post(id, body);
    }
  }

  private waiting(): [string, string][] {
    const waiting = readJson<[string, string][]>(this.key);
    return Array.isArray(waiting) ? waiting : [];
  }

  private async post(id: string, body: string): Promise<Receipt> {
    this.underWay.add(id);
    const receipt: Receipt = { id, stored: false, status: 0 };
    try {
      const response = await fetch(this.url(), {
        method: 'POST',
        keepalive: true,
        credentials: 'omit',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const { status } = response;
      receipt.status = status;
      receipt.stored = response.ok;
      // Whatever else the service refuses, it will refuse again.
      if (status < 500 && status !== 429 && status !== 408) {
        writeJson(
          this.key,
          this.waiting().filter((entry) => entry[0] !== id),
        );
      }
      if (!response.ok) receipt.detail = ((await response.json()) as { detail?: string }).detail;
    } catch {
      // Away: it waits for the next page.
    }
    this.underWay.delete(id);
    return receipt;
  }

  /** A request that is under way outlives the page by `keepalive`; the others get a last chance. */
  private beacon(): void {
    for (const [id, body] of this.waiting()) {
      if (!this.underWay.has(id)) navigator.sendBeacon?.(this.url(), body);
    }
  }
}
