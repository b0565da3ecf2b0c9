/** A topic of one ordering key. */
export interface GatePlace {
  orderingKey: string;
  topic: string;
}

/**
 * What is let through of a topic of a key, by all workers together: nothing before `opensAt`, then its oldest `width`
 * messages. It shuts itself with them, until their lease ends or somebody sets it anew. Where there is no gate, the
 * workers' slots are the only bound.
 */
export interface Gate {
  opensAt: Date;
  width: number;
}
