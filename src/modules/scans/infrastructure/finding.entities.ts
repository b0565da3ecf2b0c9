import { defineEntity, p } from '@mikro-orm/core';
import type { CookieDecision } from '../domain/classify-item.js';
import type { ScanState } from '../domain/scan-state.js';
import type { UsedPage } from '../domain/seen-item.js';

/** An item that scans saw on a project's site. */
export const SiteItemSchema = defineEntity({
  name: 'SiteItem',
  tableName: 'site_item',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text(),
    name: p.text(),
    host: p.text(),
    thirdParty: p.boolean(),
    initiators: p.array().columnType('text[]'),
    /** null: with the session, or not a cookie. */
    lifetimeSeconds: p.double().nullable(),
    states: p.array().columnType('text[]'),
    /** Of some pages. */
    pageUrls: p.array().columnType('text[]'),
    lastScanId: p.uuid(),
    firstSeenAt: p.datetime(),
    lastSeenAt: p.datetime(),
  },
});

/** The owner's decision about an item. */
export const CookieDecisionSchema = defineEntity({
  name: 'CookieDecision',
  tableName: 'cookie_decision',
  properties: {
    projectId: p.uuid().primary(),
    /** As in `site_item`. */
    id: p.uuid().primary(),
    kind: p.text().$type<CookieDecision['kind']>(),
    name: p.text(),
    host: p.text(),
    category: p.text().$type<CookieDecision['category']>(),
    purpose: p.text().nullable(),
    provider: p.text().nullable(),
    duration: p.text().nullable(),
    decidedByKind: p.text(),
    decidedById: p.text().nullable(),
    decidedAt: p.datetime().defaultRaw('now()'),
  },
});

export class CookieDecisionEntity extends CookieDecisionSchema.class {}
CookieDecisionSchema.setClass(CookieDecisionEntity);

/** A finding with its life over scans. */
export const ScanFindingSchema = defineEntity({
  name: 'ScanFinding',
  tableName: 'scan_finding',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    kind: p.text(),
    itemKind: p.text().nullable(),
    name: p.text(),
    host: p.text(),
    certainty: p.text(),
    state: p.text(),
    pageUrls: p.array().columnType('text[]'),
    /** How each page used the item. */
    uses: p.json<UsedPage[]>().defaultRaw("'[]'"),
    /** All states in which the item was seen. */
    seenIn: p.array().columnType('text[]').$type<ScanState[]>().defaultRaw("'{}'"),
    initiator: p.text().nullable(),
    category: p.text().nullable(),
    service: p.text().nullable(),
    lifetimeSeconds: p.double().nullable(),
    declared: p.text().nullable(),
    status: p.text(),
    /** Scans in a row that tested its state and page without seeing it. */
    misses: p.integer(),
    firstScanId: p.uuid(),
    lastScanId: p.uuid(),
    countedScanId: p.uuid(),
    firstSeenAt: p.datetime(),
    lastSeenAt: p.datetime(),
    acceptedReason: p.text().nullable(),
    acceptedByKind: p.text().nullable(),
    acceptedById: p.text().nullable(),
    acceptedAt: p.datetime().nullable(),
  },
});

/** A finding in one scan. */
export const ScanFindingSeenSchema = defineEntity({
  name: 'ScanFindingSeen',
  tableName: 'scan_finding_seen',
  properties: {
    projectId: p.uuid().primary(),
    scanId: p.uuid().primary(),
    findingId: p.uuid().primary(),
    certainty: p.text(),
    state: p.text(),
    /** Numbers of the scan's pages. */
    pages: p.array().columnType('int[]').$type<number[]>(),
    /** How each page used the item. */
    uses: p.json<UsedPage[]>().defaultRaw("'[]'"),
    /** All states in which the item was seen. */
    seenIn: p.array().columnType('text[]').$type<ScanState[]>().defaultRaw("'{}'"),
    initiator: p.text().nullable(),
    category: p.text().nullable(),
    service: p.text().nullable(),
    lifetimeSeconds: p.double().nullable(),
    declared: p.text().nullable(),
  },
});
