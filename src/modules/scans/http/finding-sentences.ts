import type { FindingKind } from '../domain/finding.js';
import type { ItemKind } from '../domain/scan.js';
import type { UsedPage } from '../domain/seen-item.js';

const DAY_SECONDS = 86_400;
/** Hosts that a sentence names. */
const SETTERS_MAX = 3;

/** The data for a sentence about a finding. */
export interface DescribedFinding {
  kind: FindingKind;
  itemKind: ItemKind | null;
  name: string;
  host: string;
  pageUrls: string[];
  uses: readonly UsedPage[];
  initiator: string | null;
  declared: string | null;
  lifetimeSeconds: number | null;
}

export type FindingSentences = (finding: DescribedFinding) => string;

/** When something happened that needs consent. */
const WITHOUT_CONSENT = {
  en: {
    before_consent: 'before any choice',
    after_refusal: 'after consent was refused',
    after_withdrawal: 'after consent was withdrawn',
    ignores_gpc: 'although the browser sent Global Privacy Control',
  },
  de: {
    before_consent: 'vor jeder Auswahl',
    after_refusal: 'nach einer Ablehnung',
    after_withdrawal: 'nach einem Widerruf',
    ignores_gpc: 'trotz Global Privacy Control',
  },
} as const;

/** The observation, in English; never whether it is allowed. */
export const findingSentencesEn: FindingSentences = (finding) => {
  const { kind, itemKind, name, host, declared } = finding;
  const pages = pagesIn(finding.pageUrls, moreEn);
  const by = initiatorIn(finding, 'by');
  switch (kind) {
    case 'before_consent':
    case 'after_refusal':
    case 'after_withdrawal':
    case 'ignores_gpc':
      return itemKind === 'request'
        ? `Requests went to ${host} on ${pages} ${WITHOUT_CONSENT.en[kind]}${by}.`
        : `“${name}” was ${actsEn(finding)} ${WITHOUT_CONSENT.en[kind]}.`;
    case 'not_blocked_by_site':
      return `The site itself does not stop requests to ${host} before any choice: ${actsEn(finding)}.`;
    case 'undeclared':
      return `“${name}” was ${actsEn(finding)}, but no service of the published banner lists it.`;
    case 'declared_not_seen':
      return `“${name}” is declared, but no page set it.`;
    case 'longer_than_declared':
      return `“${name}” lasts ${daysIn(finding)} days; “${declared ?? ''}” is declared.`;
    case 'banner_missing':
      return `No consent banner appeared on ${pages}.`;
    case 'loader_missing':
      return `The loader was not found on ${pages} of ${host}.`;
    case 'fingerprinting':
      return `${pages} used “${name}”, which can identify a device${by}.`;
  }
};

/** The same in German. */
export const findingSentencesDe: FindingSentences = (finding) => {
  const { kind, itemKind, name, host, declared } = finding;
  const pages = pagesIn(finding.pageUrls, moreDe);
  const by = initiatorIn(finding, 'durch');
  switch (kind) {
    case 'before_consent':
    case 'after_refusal':
    case 'after_withdrawal':
    case 'ignores_gpc':
      return itemKind === 'request'
        ? `Auf ${pages} gingen ${WITHOUT_CONSENT.de[kind]} Anfragen an ${host}${by}.`
        : `„${name}“ wurde ${WITHOUT_CONSENT.de[kind]} ${actsDe(finding)}.`;
    case 'not_blocked_by_site':
      return `Die Website selbst verhindert Anfragen an ${host} vor einer Auswahl nicht: ${actsDe(finding)}.`;
    case 'undeclared':
      return `„${name}“ wurde ${actsDe(finding)}, aber kein Dienst des veröffentlichten Banners führt es auf.`;
    case 'declared_not_seen':
      return `„${name}“ ist deklariert, wurde aber auf keiner Seite gesetzt.`;
    case 'longer_than_declared':
      return `„${name}“ hält ${daysIn(finding)} Tage; deklariert ist „${declared ?? ''}“.`;
    case 'banner_missing':
      return `Auf ${pages} erschien kein Einwilligungsbanner.`;
    case 'loader_missing':
      return `Auf ${pages} von ${host} wurde der Loader nicht gefunden.`;
    case 'fingerprinting':
      return `Auf ${pages} wurde „${name}“ verwendet, was ein Gerät erkennen kann${by}.`;
  }
};

/** Which pages set, sent or only had an item, e.g. “set on /a by example.com and sent from 2 more pages”. */
function actsEn(finding: DescribedFinding): string {
  const { set, sent, present } = usesIn(finding);
  const others = (pages: readonly string[], isFirst: boolean): string =>
    isFirst ? pagesIn(pages, moreEn) : `${pages.length} more ${pages.length === 1 ? 'page' : 'pages'}`;
  const by = settersIn(finding, 'an unknown script', 'others');
  return listOf('en', [
    set.length > 0 && `set on ${pagesIn(set, moreEn)}${by.length > 0 ? ` by ${listOf('en', by)}` : ''}`,
    sent.length > 0 && `sent from ${others(sent, set.length === 0)}`,
    present.length > 0 &&
      `${isInHtml(finding) ? 'in the HTML of' : 'present on'} ${others(present, set.length + sent.length === 0)}`,
  ]);
}

function actsDe(finding: DescribedFinding): string {
  const { set, sent, present } = usesIn(finding);
  const others = (pages: readonly string[], isFirst: boolean): string =>
    isFirst ? pagesIn(pages, moreDe) : `${pages.length} weiteren ${pages.length === 1 ? 'Seite' : 'Seiten'}`;
  const by = settersIn(finding, 'ein unbekanntes Skript', 'andere');
  return listOf('de', [
    set.length > 0 &&
      `auf ${pagesIn(set, moreDe)}${by.length > 0 ? ` durch ${listOf('de', by)}` : ''} gesetzt`,
    sent.length > 0 && `von ${others(sent, set.length === 0)} gesendet`,
    present.length > 0 && presentDe(others(present, set.length + sent.length === 0), isInHtml(finding)),
  ]);
}

const presentDe = (pages: string, inHtml: boolean): string =>
  inHtml ? `im HTML von ${pages} enthalten` : `auf ${pages} vorgefunden`;

/** Whether pages that did not send it have it in their HTML. */
const isInHtml = ({ kind }: DescribedFinding): boolean => kind === 'not_blocked_by_site';

/** Addresses by how their pages used the item. */
function usesIn({ uses, pageUrls }: DescribedFinding): Record<'set' | 'sent' | 'present', string[]> {
  const urls = (chosen: (use: UsedPage) => boolean): string[] => uses.filter(chosen).map(({ url }) => url);
  return {
    set: urls(({ setBy }) => setBy !== null),
    sent: urls(({ setBy, sent }) => setBy === null && sent),
    // Findings of earlier versions say only on which pages it was seen.
    present: uses.length === 0 ? pageUrls : urls(({ setBy, sent }) => setBy === null && !sent),
  };
}

/** Hosts of what set the item, each once. */
function settersIn({ uses }: DescribedFinding, unknownScript: string, others: string): string[] {
  const setters = uses
    .filter(({ setBy }) => setBy !== null)
    .flatMap(({ initiator, setBy }) => hostIn(initiator) ?? (setBy === 'script' ? unknownScript : []));
  const names = [...new Set(setters)];
  return names.length > SETTERS_MAX ? [...names.slice(0, SETTERS_MAX), others] : names;
}

const moreEn = (count: number): string => (count === 1 ? ' and 1 more page' : ` and ${count} more pages`);
const moreDe = (count: number): string => ` und ${count} weiteren ${count === 1 ? 'Seite' : 'Seiten'}`;

function listOf(language: string, parts: readonly (string | false)[]): string {
  return new Intl.ListFormat(language).format(parts.filter((part) => part !== false));
}

function pagesIn(urls: readonly string[], more: (count: number) => string): string {
  const [first] = urls;
  return `${pathOf(first)}${urls.length > 1 ? more(urls.length - 1) : ''}`;
}

function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return url ?? '–';
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function initiatorIn({ initiator }: DescribedFinding, word: string): string {
  const host = hostIn(initiator);
  return host === null ? '' : `, ${word} ${host}`;
}

function hostIn(initiator: string | null): string | null {
  return initiator?.split('/')[0] ?? null;
}

function daysIn({ lifetimeSeconds }: DescribedFinding): number {
  return Math.round((lifetimeSeconds ?? 0) / DAY_SECONDS);
}
