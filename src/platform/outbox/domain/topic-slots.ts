/**
 * Enforces the concurrency limit of topics that have one, over claimed and running messages of this worker. Other
 * topics share the slots of the worker.
 */
export class TopicSlots {
  private readonly claimedOf = new Map<string, number>();

  /** Concurrent messages of a topic; undefined if only the slots limit it. */
  constructor(private readonly slotsMaxOf: (topic: string) => number | undefined) {}

  claimed(topic: string): void {
    this.claimedOf.set(topic, (this.claimedOf.get(topic) ?? 0) + 1);
  }

  /** A claimed message ended or was released. */
  ended(topic: string): void {
    this.claimedOf.set(topic, (this.claimedOf.get(topic) ?? 0) - 1);
  }

  /** The topics that may be claimed now, and the remaining capacity of limited ones. */
  freeOf(topics: readonly string[]): { topics: string[]; freeOfTopic: Map<string, number> } {
    const freeOfTopic = new Map<string, number>();
    for (const topic of topics) {
      const slotsMax = this.slotsMaxOf(topic);
      if (slotsMax === undefined) continue;
      freeOfTopic.set(topic, Math.max(0, slotsMax - (this.claimedOf.get(topic) ?? 0)));
    }
    const claimable = topics.filter((topic) => freeOfTopic.get(topic) !== 0);
    for (const topic of topics) if (freeOfTopic.get(topic) === 0) freeOfTopic.delete(topic);
    return { topics: claimable, freeOfTopic };
  }
}
