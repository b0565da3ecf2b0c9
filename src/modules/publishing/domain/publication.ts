/** A publication, with its time and author. */
export interface Publication {
  version: number;
  configurationVersion: number;
  tier: string;
  configHash: string;
  regionRulesLeftOut: boolean;
  /** When it was last written to storage. */
  at: Date;
  /** Since when it is shown. */
  inForceFrom: Date;
  comment: string | null;
  /** null: no person; the tier or the domains have changed, or the author is unknown. */
  authorKind: string | null;
  authorId: string | null;
}
