import type { FindingKind } from '../domain/finding.js';
import type { ItemKind } from '../domain/scan.js';

const DAY_SECONDS = 86_400;

/** What a sentence about a finding needs. */
interface DescribedFinding {
  kind: FindingKind;
  itemKind: ItemKind | null;
  name: string;
  host: string;
  pageUrls: string[];
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

/** What was observed, in English. Never whether it is allowed. */
export const findingSentencesEn: FindingSentences = (finding) => {
  const { kind, itemKind, name, host, declared } = finding;
  const pages = pagesIn(finding, (more) => (more === 1 ? ' and 1 more page' : ` and ${more} more pages`));
  const by = initiatorIn(finding, 'by');
  switch (kind) {
    case 'before_consent':
    case 'after_refusal':
    case 'after_withdrawal':
    case 'ignores_gpc':
      return itemKind === 'request'
        ? `Requests went to ${host} on ${pages} ${WITHOUT_CONSENT.en[kind]}${by}.`
        : `“${name}” was set on ${pages} ${WITHOUT_CONSENT.en[kind]}${by}.`;
    case 'undeclared':
      return `“${name}” was set on ${pages}, but no service of the published banner lists it.`;
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
  const pages = pagesIn(finding, (more) => ` und ${more} weiteren ${more === 1 ? 'Seite' : 'Seiten'}`);
  const by = initiatorIn(finding, 'durch');
  switch (kind) {
    case 'before_consent':
    case 'after_refusal':
    case 'after_withdrawal':
    case 'ignores_gpc':
      return itemKind === 'request'
        ? `Auf ${pages} gingen ${WITHOUT_CONSENT.de[kind]} Anfragen an ${host}${by}.`
        : `„${name}“ wurde auf ${pages} ${WITHOUT_CONSENT.de[kind]} gesetzt${by}.`;
    case 'undeclared':
      return `„${name}“ wurde auf ${pages} gesetzt, aber kein Dienst des veröffentlichten Banners führt es auf.`;
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

function pagesIn({ pageUrls }: DescribedFinding, more: (count: number) => string): string {
  const [first] = pageUrls;
  return `${pathOf(first)}${pageUrls.length > 1 ? more(pageUrls.length - 1) : ''}`;
}

function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return url ?? '–';
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function initiatorIn({ initiator }: DescribedFinding, word: string): string {
  return initiator === null ? '' : `, ${word} ${initiator.split('/')[0]}`;
}

function daysIn({ lifetimeSeconds }: DescribedFinding): number {
  return Math.round((lifetimeSeconds ?? 0) / DAY_SECONDS);
}
