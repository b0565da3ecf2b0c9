/**
 * Keeps topics that have a limit of their own within it: claims of them stop where so many messages are claimed or
 * under way in this worker. The others share the worker's slots without one.
 */
export class TopicSlots {
  private readonly claimedOf = new Map<string, number>();

  /** The messages of a topic at once; undefined where the worker's slots are its only limit. */
  constructor(private readonly slotsMaxOf: (topic: string) => number | undefined) {}

  claimed(topic: string): void {
    this.claimedOf.set(topic, (this.claimedOf.get(topic) ?? 0) + 1);
  }

  /** A claimed message has ended, or was given back. */
  ended(topic: string): void {
    this.claimedOf.set(topic, (this.claimedOf.get(topic) ?? 0) - 1);
  }

  /** The topics of which something may be claimed now, and how much of those that have a limit. */
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
