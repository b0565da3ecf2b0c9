import { defineEntity, p } from '@mikro-orm/core';
import type { SaveNote, StoredConfiguration } from '../domain/configuration.js';

/** A project's latest saved configuration; fields newer than the row are missing. */
export const SiteConfigurationSchema = defineEntity({
  name: 'SiteConfiguration',
  tableName: 'site_configuration',
  properties: {
    projectId: p.uuid().primary(),
    /** Counts the saves; it is the entity tag of the configuration. */
    version: p.bigint('number'),
    /** As saved, including region rules that the tier no longer allows. */
    configuration: p.json<StoredConfiguration>(),
    updatedAt: p.datetime().defaultRaw('now()'),
    /** For the save that it names; null, or of an older save: no note exists. */
    note: p.json<SaveNote>().nullable(),
  },
});

export class SiteConfigurationEntity extends SiteConfigurationSchema.class {}
SiteConfigurationSchema.setClass(SiteConfigurationEntity);

/** An editor's unpublished draft; shared by all members of the project. */
export const ConfigurationDraftSchema = defineEntity({
  name: 'ConfigurationDraft',
  tableName: 'configuration_draft',
  properties: {
    projectId: p.uuid().primary(),
    /** Counts its saves and ends; it is its entity tag. */
    version: p.bigint('number'),
    /** null: it was published or discarded. */
    configuration: p.json<StoredConfiguration>().nullable(),
    /** The version of the configuration that it began with. */
    basedOn: p.bigint('number'),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

export class ConfigurationDraftEntity extends ConfigurationDraftSchema.class {}
ConfigurationDraftSchema.setClass(ConfigurationDraftEntity);

/** A project's publications. */
export const PublicationSchema = defineEntity({
  name: 'Publication',
  tableName: 'publication',
  properties: {
    projectId: p.uuid().primary(),
    /** Counts the publications of the project. */
    version: p.bigint('number').primary(),
    /** The save that was published; 0: nothing was ever saved, and the default was. */
    configurationVersion: p.bigint('number'),
    /** The saved configuration at that time, for restoring it. */
    configuration: p.json<StoredConfiguration>(),
    tier: p.text(),
    /** SHA-256 of the document, in hex; names the immutable object. */
    contentHash: p.text(),
    /** Whether region rules were left out because of the tier. */
    regionRulesLeftOut: p.boolean(),
    /** When it was last written to storage. */
    at: p.datetime().defaultRaw('now()'),
    /** Of the author; null: none, or the configuration was there before. */
    comment: p.text().nullable(),
    /** Who saved the configuration; null: as above, or not known. */
    authorKind: p.text().nullable(),
    authorId: p.text().nullable(),
    /** Since when it is shown; null: since `at`. */
    inForceFrom: p.datetime().defaultRaw('now()'),
  },
});
