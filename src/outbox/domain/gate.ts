/** A topic of one ordering key. */
export interface GatePlace {
  orderingKey: string;
  topic: string;
}

/**
 * What is let through of a key by all workers together: of the topics that may have gates nothing before `opensAt`, then
 * the oldest `width` messages. A key has one gate, under the topic that it was put up for. It shuts itself with them,
 * until their lease ends or somebody sets it anew. Where there is no gate, the workers' slots are the only bound.
 */
export interface Gate {
  opensAt: Date;
  width: number;
}
