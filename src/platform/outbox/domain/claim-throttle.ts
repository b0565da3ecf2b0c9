/** A topic of one ordering key. */
export interface ThrottleKey {
  orderingKey: string;
  topic: string;
}

/**
 * Limits the claims of all workers together for one ordering key: nothing of its throttleable topics before
 * `nextClaimAt`, then the oldest `batchLimit` messages. A key has at most one throttle. Each claim postpones
 * `nextClaimAt` by the lease, so the next batch waits for these outcomes. Without a throttle only the slots of the
 * workers limit a key.
 */
export interface ClaimThrottle {
  nextClaimAt: Date;
  batchLimit: number;
}
