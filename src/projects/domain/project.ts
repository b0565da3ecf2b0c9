/** A customer's website or group of websites; owns everything else by its id. */
export interface Project {
  id: string;
  name: string;
  /** Host names that may send consents; empty: any origin may. */
  domains: string[];
  /** Cached effective tier without hostname; believed until `tierValidUntil` (null: until a write). */
  tier: string;
  tierReason: string;
  tierValidUntil: Date | null;
  /** The last delivery that failed (spec §2.2); null where none ever did. */
  lastFailure: LastFailure | null;
  createdAt: Date;
}

export interface LastFailure {
  /** A short sentence for the owner. */
  reason: string;
  category: string | null;
  httpStatus: number | null;
  at: Date;
}
