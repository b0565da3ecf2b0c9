import type { SiteConfiguration } from './configuration.js';
import type { SaveNote } from './save-note.js';

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
