import type { Author } from '../../audit/domain/author.js';
import type { SiteConfiguration } from './configuration.js';

/** The author of a save, with their comment. */
export interface SaveNote {
  /** The save: the version of the configuration. */
  version: number;
  comment: string | null;
  author: { kind: Author['kind']; id: string | null };
}

/** A saved configuration with its metadata. */
export interface SavedConfiguration {
  /** 0: nothing was ever saved, and the default applies. */
  version: number;
  updatedAt: Date | null;
  configuration: SiteConfiguration;
  /** null: there is none for this version. */
  note: SaveNote | null;
}

/** The unpublished configuration of a project. */
export interface Draft {
  /** 0: there has never been a draft. */
  version: number;
  /** null: there is none. */
  configuration: SiteConfiguration | null;
  /** The version of the configuration that it was started from. */
  basedOn: number | null;
  updatedAt: Date | null;
}

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
