/** A topic of one ordering key. */
export interface ThrottleKey {
  orderingKey: string;
  topic: string;
}

/**
 * What is let through of a key by all workers together: of the topics that may have throttles nothing before `opensAt`, then
 * the oldest `width` messages. A key has one throttle, under the topic that it was put up for. It shuts itself with them,
 * until their lease ends or somebody sets it anew. Where there is no throttle, the workers' slots are the only bound.
 */
export interface ClaimThrottle {
  nextClaimAt: Date;
  batchLimit: number;
}
