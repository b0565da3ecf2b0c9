import { defineEntity, p } from '@mikro-orm/core';
import type { ItemDetails } from '../domain/observation.js';
import type { ScanFrequency } from '../domain/scan-schedule.js';

/** A scan of a project's site; also the queue that scanners claim it from. */
export const ScanSchema = defineEntity({
  name: 'Scan',
  tableName: 'scan',
  properties: {
    projectId: p.uuid().primary(),
    id: p.uuid().primary(),
    /** The project's longest-standing owner when it was requested; null: the project is its own account. */
    accountId: p.uuid().nullable(),
    status: p.text().default('queued'),
    /** Whether a member or the schedule requested it. */
    origin: p.text().default('manual'),
    /** Start addresses. */
    urls: p.array().columnType('text[]'),
    /** The project's domains when it was requested. */
    domains: p.array().columnType('text[]'),
    pagesMax: p.integer(),
    /** Consent states that are left out on request. */
    skippedStates: p.array().columnType('text[]').defaultRaw("'{}'"),
    /** Whether pages that robots.txt denies are visited, too. */
    ignoreRobots: p.boolean().default(false),
    /** Active custom domains of the project when it was requested. */
    verifiedHosts: p.array().columnType('text[]').defaultRaw("'{}'"),
    /** Why it ended without a complete result. */
    reason: p.text().nullable(),
    browser: p.text().nullable(),
    /** The location of the scanner; null: unknown. */
    region: p.text().nullable(),
    refusedDownloads: p.integer().default(0),
    refusedPopups: p.integer().default(0),
    refusedDialogs: p.integer().default(0),
    /** The lease of the scanner that works on it. */
    claimId: p.uuid().nullable(),
    leasedUntil: p.datetime().nullable(),
    /** How many scanners left it without returning it. */
    interruptions: p.smallint().default(0),
    /** When a scanner claimed it last. */
    claimedAt: p.datetime().nullable(),
    /** Time and data of all scanners that worked on it. */
    workedMs: p.bigint('number').defaultRaw('0'),
    receivedBytes: p.bigint('number').defaultRaw('0'),
    createdAt: p.datetime().defaultRaw('now()'),
    startedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
    /** When members were mailed about it, or it had nothing new; null: not yet. */
    alertedAt: p.datetime().nullable(),
    /** Cookies and entries without a finding; null: the scan is not evaluated. */
    declaredItems: p.integer().nullable(),
  },
});

/** A page of a scan: found, visited or left out. */
export const ScanPageSchema = defineEntity({
  name: 'ScanPage',
  tableName: 'scan_page',
  properties: {
    projectId: p.uuid().primary(),
    scanId: p.uuid().primary(),
    number: p.integer().primary(),
    url: p.text(),
    host: p.text(),
    depth: p.integer(),
    status: p.text().default('found'),
    visits: p.smallint().default(0),
    reason: p.text().nullable(),
    httpStatus: p.integer().nullable(),
    finalUrl: p.text().nullable(),
    loaderFound: p.boolean().default(false),
    /** Hosts and paths of other hosts that its HTML makes a browser request, and that no policy of the page stops. */
    htmlAddresses: p.array().columnType('text[]').defaultRaw("'{}'"),
    durationMs: p.integer().nullable(),
    visitedAt: p.datetime().nullable(),
  },
});

/** A consent state of a scan. */
export const ScanStateSchema = defineEntity({
  name: 'ScanState',
  tableName: 'scan_state',
  properties: {
    projectId: p.uuid().primary(),
    scanId: p.uuid().primary(),
    state: p.text().primary(),
    status: p.text().default('pending'),
    /** Why it was not tested, or not on all pages. */
    reason: p.text().nullable(),
    /**
     * The driver of the choice: `own`, `heuristic`, or `autoconsent:` or `api:` with the name of the banner.
     */
    driver: p.text().nullable(),
    /** Numbers of the pages that were visited in it. */
    pages: p.array().columnType('int[]').$type<number[]>().defaultRaw("'{}'"),
    /** Cookies and entries that were seen in it; null: the scan is not evaluated. */
    items: p.integer().nullable(),
    /** How often it was begun. */
    attempts: p.smallint().default(0),
    startedAt: p.datetime().nullable(),
    endedAt: p.datetime().nullable(),
  },
});

/** A screenshot or HAR of a page in a state. */
export const ScanArtifactSchema = defineEntity({
  name: 'ScanArtifact',
  tableName: 'scan_artifact',
  properties: {
    projectId: p.uuid().primary(),
    scanId: p.uuid().primary(),
    state: p.text().primary(),
    page: p.integer().primary(),
    kind: p.text().primary(),
    sha256: p.blob().$type<Buffer>(),
    bytes: p.integer(),
    /** null: deleted after its time. */
    content: p.blob().$type<Buffer>().nullable(),
    createdAt: p.datetime().defaultRaw('now()'),
  },
});

/** The committed content of a scan's entry in the project's log. */
export const ScanProofSchema = defineEntity({
  name: 'ScanProof',
  tableName: 'scan_proof',
  properties: {
    projectId: p.uuid().primary(),
    scanId: p.uuid().primary(),
    /** Canonical JSON. */
    body: p.text(),
    salt: p.blob().$type<Buffer>(),
  },
});

/** A cookie, storage entry, request or call that was seen on a page. */
export const ScanItemSchema = defineEntity({
  name: 'ScanItem',
  tableName: 'scan_item',
  properties: {
    projectId: p.uuid().primary(),
    scanId: p.uuid().primary(),
    state: p.text().primary().default('before'),
    page: p.integer().primary(),
    number: p.integer().primary(),
    kind: p.text(),
    name: p.text(),
    host: p.text(),
    thirdParty: p.boolean(),
    details: p.json<ItemDetails>(),
  },
});

/** When a project is scanned without a request. */
export const ScanScheduleSchema = defineEntity({
  name: 'ScanSchedule',
  tableName: 'scan_schedule',
  properties: {
    projectId: p.uuid().primary(),
    frequency: p.text().$type<ScanFrequency>(),
    /** Decides when the next scan is due. */
    nextAt: p.datetime(),
  },
});

export class ScanSchedule extends ScanScheduleSchema.class {}
ScanScheduleSchema.setClass(ScanSchedule);

/** When a host may get its next page, from any scan. */
export const ScanHostSchema = defineEntity({
  name: 'ScanHost',
  tableName: 'scan_host',
  properties: {
    /** With port, unless it is the scheme's. */
    host: p.text().primary(),
    nextPageAt: p.datetime().defaultRaw('now()'),
  },
});

/** A scan of a host, of any project. */
export const ScanHostScanSchema = defineEntity({
  name: 'ScanHostScan',
  tableName: 'scan_host_scan',
  properties: {
    host: p.text().primary(),
    scanId: p.uuid().primary(),
    at: p.datetime().defaultRaw('now()'),
  },
});

/** What scanners did for an account in an hour, over all of its projects. */
export const ScanAccountHourSchema = defineEntity({
  name: 'ScanAccountHour',
  tableName: 'scan_account_hour',
  properties: {
    accountId: p.uuid().primary(),
    hour: p.datetime().primary(),
    workedMs: p.bigint('number').defaultRaw('0'),
    claimedAt: p.datetime().defaultRaw('now()'),
  },
});

/** Whether a member gets mails about what scans found; without a row owners do. */
export const ScanAlertChoiceSchema = defineEntity({
  name: 'ScanAlertChoice',
  tableName: 'scan_alert_choice',
  properties: {
    projectId: p.uuid().primary(),
    userId: p.uuid().primary(),
    enabled: p.boolean(),
  },
});

export class ScanAlertChoice extends ScanAlertChoiceSchema.class {}
ScanAlertChoiceSchema.setClass(ScanAlertChoice);

/** A scanner that is running. */
export const ScannerSchema = defineEntity({
  name: 'Scanner',
  tableName: 'scanner',
  properties: {
    id: p.uuid().primary(),
    browser: p.text(),
    seenAt: p.datetime().defaultRaw('now()'),
  },
});
