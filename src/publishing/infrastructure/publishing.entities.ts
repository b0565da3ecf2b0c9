import { defineEntity, p } from '@mikro-orm/core';
import type { SiteConfiguration } from '../domain/configuration.js';

/** What a project wants to publish, as it was saved last; fields that are younger than the row are missing. */
export const SiteConfigurationSchema = defineEntity({
  name: 'SiteConfiguration',
  tableName: 'site_configuration',
  properties: {
    projectId: p.uuid().primary(),
    /** Counts the saves; it is the entity tag of the configuration. */
    version: p.bigint('number'),
    /** As it was saved, region rules that the tier no longer allows included. */
    configuration: p.json<Partial<SiteConfiguration>>(),
    updatedAt: p.datetime().defaultRaw('now()'),
  },
});

/** What a project has published. */
export const PublicationSchema = defineEntity({
  name: 'Publication',
  tableName: 'publication',
  properties: {
    projectId: p.uuid().primary(),
    /** Counts the publications of the project. */
    version: p.bigint('number').primary(),
    /** The save that was published; 0: nothing was ever saved, and the default was. */
    configurationVersion: p.bigint('number'),
    /** The configuration as it was saved then, to go back to. */
    configuration: p.json<Partial<SiteConfiguration>>(),
    tier: p.text(),
    /** SHA-256 of the document, in hex; names the immutable object. */
    contentHash: p.text(),
    /** Whether region rules were left out because of the tier. */
    regionRulesLeftOut: p.boolean(),
    /** When it was last written to storage. */
    at: p.datetime().defaultRaw('now()'),
  },
});
