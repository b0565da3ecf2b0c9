/** A customer's website or group of websites; owns everything else by its id. */
export interface Project {
  id: string;
  name: string;
  /** Host names that may send consents; empty: any origin may. */
  domains: string[];
  /** Who decides about the project's records, and how to reach them; null: not given. */
  controllerName: string | null;
  controllerContact: string | null;
  /** Cached effective tier without hostname; believed until `tierValidUntil` (null: until a write). */
  tier: string;
  tierReason: string;
  tierValidUntil: Date | null;
  createdAt: Date;
}

/** Who decides about a project's records (GDPR Art. 4(7)), for receipts and the banner; null: not given. */
export interface ProjectController {
  name: string | null;
  /** How to reach them: an e-mail address, a web page or a postal address. */
  contact: string | null;
}
