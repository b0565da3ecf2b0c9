import type { ServiceCategory } from '../../publishing/domain/configuration.js';
import type { ReportLanguage } from '../application/scan-report-pages.js';
import type { Certainty, FindingStatus } from '../domain/finding.js';
import {
  type ItemKind,
  PAGE_SENTENCES,
  type PageReason,
  type PageStatus,
  SCAN_SENTENCES,
  type ScanReason,
  type ScanStatus,
} from '../domain/scan.js';
import { type ScanState, STATE_SENTENCES, type StateReason, type StateStatus } from '../domain/scan-state.js';
import { type FindingSentences, findingSentencesDe, findingSentencesEn } from './finding-sentences.js';
import { PAGE_SENTENCES_DE, SCAN_SENTENCES_DE, STATE_SENTENCES_DE } from './scan-sentences.de.js';

/** All words of the PDF report in one language. */
export interface ReportTexts {
  title: (host: string) => string;
  intro: string;
  pageOf: (page: number, count: number) => string;
  replaced: string;
  headings: Record<'summary' | 'states' | 'findings' | 'items' | 'pages' | 'screenshots' | 'proof', string>;
  labels: Record<
    | 'project'
    | 'addresses'
    | 'status'
    | 'time'
    | 'location'
    | 'browser'
    | 'viewport'
    | 'userAgent'
    | 'pages'
    | 'created'
    | 'scanId'
    | 'configuration'
    | 'items'
    | 'artifacts'
    | 'rules',
    string
  >;
  columns: Record<
    | 'state'
    | 'result'
    | 'cookies'
    | 'services'
    | 'unknown'
    | 'reason'
    | 'choice'
    | 'pages'
    | 'certainty'
    | 'observation'
    | 'rule'
    | 'status'
    | 'name'
    | 'kind'
    | 'site'
    | 'service'
    | 'lifetime'
    | 'seenIn'
    | 'number'
    | 'address'
    | 'loader',
    string
  >;
  summary: string;
  statesText: string;
  findingsText: string;
  itemsText: string;
  screenshotsText: string;
  screenshotsDeleted: string;
  proofText: string;
  proofSteps: (file: string, keysUrl: string) => string;
  noProof: string;
  none: string;
  noConfiguration: string;
  unknownLocation: string;
  yes: string;
  no: string;
  session: string;
  allStates: string;
  days: (days: number) => string;
  pageCounts: (counts: { visited: number; failed: number; skipped: number }) => string;
  moreFindings: (shown: number) => string;
  moreItems: (shown: number, count: number) => string;
  morePages: (shown: number, count: number) => string;
  itemsHash: (count: number, sha256: string) => string;
  artifacts: (count: number) => string;
  drivers: { own: string; heuristic: string; named: (name: string) => string };
  guessed: (name: string) => string;
  scanStatuses: Record<ScanStatus, string>;
  scanReasons: Readonly<Record<ScanReason, string>>;
  pageStatuses: Record<PageStatus, string>;
  pageReasons: Readonly<Record<PageReason, string>>;
  states: Record<ScanState, string>;
  stateStatuses: Record<StateStatus, string>;
  stateReasons: Readonly<Record<StateReason, string>>;
  certainties: Record<Certainty, string>;
  statuses: Record<FindingStatus, string>;
  categories: Record<ServiceCategory | 'unknown', string>;
  kinds: Record<ItemKind, string>;
  findings: FindingSentences;
}

const ENGLISH: ReportTexts = {
  title: (host) => `Scan report: ${host}`,
  intro:
    'This report lists what a browser observed on the site. A finding is an observation with the rule that it touches, not a verdict. Other visitors can see something else, for example from another country.',
  pageOf: (page, count) => `Page ${page} of ${count}`,
  replaced: 'A ? replaces characters that the font of this report lacks.',
  headings: {
    summary: 'Without consent',
    states: 'Consent states',
    findings: 'Findings',
    items: 'Cookies and services by category',
    pages: 'Pages',
    screenshots: 'Screenshots',
    proof: 'Proof',
  },
  labels: {
    project: 'Project',
    addresses: 'Start addresses',
    status: 'Status',
    time: 'Scanned',
    location: 'Scanned from',
    browser: 'Browser',
    viewport: 'Window, language',
    userAgent: 'User agent',
    pages: 'Pages',
    created: 'Report created',
    scanId: 'Scan ID',
    configuration: 'Configuration',
    items: 'Items',
    artifacts: 'Screenshots, HARs',
    rules: 'Versions',
  },
  columns: {
    state: 'State',
    result: 'Result',
    cookies: 'Cookies, entries',
    services: 'Services',
    unknown: 'Unknown',
    reason: 'Reason',
    choice: 'Choice made',
    pages: 'Pages',
    certainty: 'Certainty',
    observation: 'Observation',
    rule: 'Rule that it touches',
    status: 'Status',
    name: 'Name',
    kind: 'Kind',
    site: 'Site',
    service: 'Service, provider',
    lifetime: 'Lifetime',
    seenIn: 'Seen',
    number: 'No.',
    address: 'Address',
    loader: 'Loader',
  },
  summary:
    'Cookies, storage entries and services that need consent, or may need it, by state. Unknown: too little is known about their purpose. Accepted findings are left out.',
  statesText:
    'The pages are opened in each state in a fresh browser profile. A state that was not tested has no findings; this says nothing about the site.',
  findingsText:
    'Settled: the rule plainly covers it. Arguable: it depends on the purpose. Open: too little is known. An owner can accept a finding with a reason.',
  itemsText:
    'Classified as of the day of this report, by decisions of the project’s members, the banner’s configuration, and public databases. “(guess)” marks a classification by name alone.',
  screenshotsText: 'The first page of each state, at the end of the visit.',
  screenshotsDeleted: 'No screenshots are stored. They are deleted before results; their hashes stay.',
  proofText:
    'The scan is sealed in the project’s log with the hashes below: nothing in it can be changed without a trace. Findings are not part of it, because they follow from decisions that can change. This report is for people to read; the proof is the proof file.',
  proofSteps: (file, keysUrl) =>
    `To verify: get ${file} from the sender or from the scan’s page in the dashboard, save ${keysUrl} as keys.txt, and run verify.cjs from the service’s source with Node:`,
  noProof: 'This scan has no proof: proofs are off on this server, or the scan is older than they are.',
  none: 'None.',
  noConfiguration: 'none was published',
  unknownLocation: 'unknown location',
  yes: 'yes',
  no: 'no',
  session: 'session',
  allStates: 'In all states',
  days: (days) => (days === 1 ? '1 day' : `${days} days`),
  pageCounts: ({ visited, failed, skipped }) => `${visited} visited, ${failed} failed, ${skipped} skipped`,
  moreFindings: (shown) => `The first ${shown} findings. All of them are in the JSON export.`,
  moreItems: (shown, count) => `${shown} of ${count} items. All of them are in the JSON export.`,
  morePages: (shown, count) => `${shown} of ${count} pages. All of them are in the JSON export.`,
  itemsHash: (count, sha256) => `${count}; SHA-256 ${sha256}`,
  artifacts: (count) => `${count}; the proof file has the SHA-256 of each`,
  drivers: {
    own: 'in our banner',
    heuristic: 'by the words on its buttons',
    named: (name) => `in ${name}`,
  },
  guessed: (name) => `${name} (guess)`,
  scanStatuses: {
    queued: 'Queued',
    running: 'Running',
    completed: 'Completed',
    partial: 'Incomplete',
    failed: 'Failed',
    canceled: 'Canceled',
  },
  scanReasons: SCAN_SENTENCES,
  pageStatuses: {
    found: 'Found',
    visiting: 'Being visited',
    visited: 'Visited',
    failed: 'Failed',
    skipped: 'Skipped',
  },
  pageReasons: PAGE_SENTENCES,
  states: {
    before: 'Before a choice',
    reject: 'After refusal',
    accept: 'After acceptance',
    withdraw: 'After withdrawal',
    signal: 'With GPC',
  },
  stateStatuses: {
    pending: 'Not tested',
    running: 'Not tested',
    tested: 'Tested',
    not_tested: 'Not tested',
    skipped: 'Left out',
  },
  stateReasons: STATE_SENTENCES,
  certainties: { settled: 'Settled', arguable: 'Arguable', open: 'Open' },
  statuses: { new: 'New', open: 'Still there', fixed: 'Fixed', accepted: 'Accepted' },
  categories: {
    necessary: 'Necessary',
    preferences: 'Preferences',
    analytics: 'Analytics',
    marketing: 'Marketing',
    unknown: 'Unknown',
  },
  kinds: {
    cookie: 'Cookie',
    local_storage: 'localStorage',
    session_storage: 'sessionStorage',
    indexed_db: 'IndexedDB',
    request: 'Requests',
    fingerprint: 'Fingerprinting',
    consent_event: 'Consent event',
  },
  findings: findingSentencesEn,
};

const GERMAN: ReportTexts = {
  title: (host) => `Scan-Bericht: ${host}`,
  intro:
    'Dieser Bericht führt auf, was ein Browser auf der Website beobachtet hat. Ein Befund ist eine Beobachtung mit der Regel, die sie berührt, kein Urteil. Andere Besucher können etwas anderes sehen, zum Beispiel aus einem anderen Land.',
  pageOf: (page, count) => `Seite ${page} von ${count}`,
  replaced: 'Ein ? ersetzt Zeichen, die in der Schrift dieses Berichts fehlen.',
  headings: {
    summary: 'Ohne Einwilligung',
    states: 'Einwilligungszustände',
    findings: 'Befunde',
    items: 'Cookies und Dienste nach Kategorie',
    pages: 'Seiten',
    screenshots: 'Screenshots',
    proof: 'Nachweis',
  },
  labels: {
    project: 'Projekt',
    addresses: 'Startadressen',
    status: 'Status',
    time: 'Gescannt',
    location: 'Gescannt aus',
    browser: 'Browser',
    viewport: 'Fenster, Sprache',
    userAgent: 'User-Agent',
    pages: 'Seiten',
    created: 'Bericht erstellt',
    scanId: 'Scan-ID',
    configuration: 'Konfiguration',
    items: 'Einträge',
    artifacts: 'Screenshots, HARs',
    rules: 'Versionen',
  },
  columns: {
    state: 'Zustand',
    result: 'Ergebnis',
    cookies: 'Cookies, Einträge',
    services: 'Dienste',
    unknown: 'Unbekannt',
    reason: 'Grund',
    choice: 'Wahl getroffen',
    pages: 'Seiten',
    certainty: 'Sicherheit',
    observation: 'Beobachtung',
    rule: 'Berührte Regel',
    status: 'Status',
    name: 'Name',
    kind: 'Art',
    site: 'Website',
    service: 'Dienst, Anbieter',
    lifetime: 'Dauer',
    seenIn: 'Gesehen',
    number: 'Nr.',
    address: 'Adresse',
    loader: 'Loader',
  },
  summary:
    'Cookies, Speichereinträge und Dienste, die eine Einwilligung brauchen oder brauchen können, nach Zustand. Unbekannt: Über ihren Zweck ist zu wenig bekannt. Akzeptierte Befunde sind nicht gezählt.',
  statesText:
    'Die Seiten werden in jedem Zustand mit einem neuen Browserprofil geöffnet. Ein nicht geprüfter Zustand hat keine Befunde; über die Website sagt das nichts aus.',
  findingsText:
    'Eindeutig: Die Regel gilt offensichtlich. Strittig: Es hängt vom Zweck ab. Offen: Es ist zu wenig bekannt. Inhaber können einen Befund mit Begründung akzeptieren.',
  itemsText:
    'Eingeordnet nach dem Stand dieses Berichts: durch Entscheidungen der Projektmitglieder, die Konfiguration des Banners und öffentliche Datenbanken. „(vermutet)“ heißt: allein nach dem Namen eingeordnet.',
  screenshotsText: 'Die erste Seite jedes Zustands am Ende des Besuchs.',
  screenshotsDeleted:
    'Es sind keine Screenshots gespeichert. Sie werden vor den Ergebnissen gelöscht; ihre Hashwerte bleiben.',
  proofText:
    'Der Scan ist mit den folgenden Hashwerten im Protokoll des Projekts versiegelt: Nichts davon lässt sich unbemerkt ändern. Befunde gehören nicht dazu, weil sie von Entscheidungen abhängen, die sich ändern können. Dieser Bericht ist zum Lesen; der Nachweis ist die Nachweisdatei.',
  proofSteps: (file, keysUrl) =>
    `Zum Prüfen: ${file} vom Absender oder von der Seite des Scans im Dashboard holen, ${keysUrl} als keys.txt speichern und verify.cjs aus dem Quelltext des Dienstes mit Node ausführen:`,
  noProof:
    'Dieser Scan hat keinen Nachweis: Nachweise sind auf diesem Server ausgeschaltet, oder der Scan ist älter als die Nachweise.',
  none: 'Keine.',
  noConfiguration: 'keine veröffentlicht',
  unknownLocation: 'unbekanntem Ort',
  yes: 'ja',
  no: 'nein',
  session: 'Sitzung',
  allStates: 'In allen Zuständen',
  days: (days) => (days === 1 ? '1 Tag' : `${days} Tage`),
  pageCounts: ({ visited, failed, skipped }) =>
    `${visited} besucht, ${failed} fehlgeschlagen, ${skipped} übersprungen`,
  moreFindings: (shown) => `Die ersten ${shown} Befunde. Alle stehen im JSON-Export.`,
  moreItems: (shown, count) => `${shown} von ${count} Einträgen. Alle stehen im JSON-Export.`,
  morePages: (shown, count) => `${shown} von ${count} Seiten. Alle stehen im JSON-Export.`,
  itemsHash: (count, sha256) => `${count}; SHA-256 ${sha256}`,
  artifacts: (count) => `${count}; die Nachweisdatei enthält den SHA-256 von jedem`,
  drivers: {
    own: 'in unserem Banner',
    heuristic: 'nach der Beschriftung der Schaltflächen',
    named: (name) => `in ${name}`,
  },
  guessed: (name) => `${name} (vermutet)`,
  scanStatuses: {
    queued: 'In Warteschlange',
    running: 'Läuft',
    completed: 'Abgeschlossen',
    partial: 'Unvollständig',
    failed: 'Fehlgeschlagen',
    canceled: 'Abgebrochen',
  },
  scanReasons: SCAN_SENTENCES_DE,
  pageStatuses: {
    found: 'Gefunden',
    visiting: 'Wird besucht',
    visited: 'Besucht',
    failed: 'Fehlgeschlagen',
    skipped: 'Übersprungen',
  },
  pageReasons: PAGE_SENTENCES_DE,
  states: {
    before: 'Vor einer Auswahl',
    reject: 'Nach Ablehnung',
    accept: 'Nach Zustimmung',
    withdraw: 'Nach Widerruf',
    signal: 'Mit GPC',
  },
  stateStatuses: {
    pending: 'Nicht geprüft',
    running: 'Nicht geprüft',
    tested: 'Geprüft',
    not_tested: 'Nicht geprüft',
    skipped: 'Ausgelassen',
  },
  stateReasons: STATE_SENTENCES_DE,
  certainties: { settled: 'Eindeutig', arguable: 'Strittig', open: 'Offen' },
  statuses: { new: 'Neu', open: 'Weiterhin vorhanden', fixed: 'Behoben', accepted: 'Akzeptiert' },
  categories: {
    necessary: 'Notwendig',
    preferences: 'Präferenzen',
    analytics: 'Statistik',
    marketing: 'Marketing',
    unknown: 'Unbekannt',
  },
  kinds: {
    cookie: 'Cookie',
    local_storage: 'localStorage',
    session_storage: 'sessionStorage',
    indexed_db: 'IndexedDB',
    request: 'Anfragen',
    fingerprint: 'Fingerprinting',
    consent_event: 'Einwilligungsereignis',
  },
  findings: findingSentencesDe,
};

export const REPORT_TEXTS: Record<ReportLanguage, ReportTexts> = { en: ENGLISH, de: GERMAN };
