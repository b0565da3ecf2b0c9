import { ACTION, HOSTNAME, isLanguage } from '../../consent/domain/consent-input.js';
import { ORIGINAL_ID_CHARACTERS_MAX } from '../../consent/domain/consent-recorded.js';
import { VISITOR_CHARACTERS_MAX } from '../../consent/domain/erasure.js';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import type { ImportCategory, ImportProfile, Mapping, RefusalReason } from './import.js';
import { importedId } from './imported-id.js';
import { mapChoices } from './mapping.js';
import { parseOriginalInstant } from './original-instant.js';
import { type Fields, profileOf } from './profile.js';
import type { Choices } from './mapping.js';

/** A consent to be stored; `id` has the time at which it was given. */
export interface JudgedConsent extends Record<ImportCategory, boolean> {
  id: string;
  originalId: string;
  action: string;
  hostname: string | null;
  language: string | null;
  visitor: string | null;
}

export type Judged = { unmapped: string[] } & (
  | { kind: 'consent'; consent: JudgedConsent; givenAt: Date }
  | { kind: 'refused'; reason: RefusalReason; originalId: string }
);

export interface ImportRules {
  projectId: string;
  profile: ImportProfile;
  mapping: Mapping;
  /** Consents given before it would be deleted at once. */
  keptSince: Date;
  now: Date;
}

/** Clocks of visitors and servers differ. */
const AHEAD_MAX_MS = 5 * 60_000;

/** Decides about the rows of one consent. */
export function judgeImportedRows(
  rows: readonly Fields[],
  choices: Choices | null,
  rules: ImportRules,
): Judged {
  const read = profileOf(rules.profile).read(rows, choices);
  const refuse = (reason: RefusalReason, unmapped: string[] = []): Judged => ({
    kind: 'refused',
    reason,
    originalId: storable(read.originalId ?? '').slice(0, ORIGINAL_ID_CHARACTERS_MAX),
    unmapped,
  });
  if (read.kind === 'refused') return refuse(read.reason);
  const { originalId } = read;
  if (originalId === '' || originalId.length > ORIGINAL_ID_CHARACTERS_MAX) return refuse('id_missing');
  if ([originalId, read.visitor].some((text) => text !== storable(text))) return refuse('unreadable');
  const givenAt = parseOriginalInstant(read.givenAt);
  if (!givenAt) return refuse('date_unreadable');
  if (givenAt.getTime() > rules.now.getTime() + AHEAD_MAX_MS) return refuse('in_future');
  if (givenAt < rules.keptSince) return refuse('older_than_retention');
  const { categories, known, unmapped } = mapChoices(read.choices, rules.mapping);
  const isNothingMapped =
    read.choices.kind === 'each'
      ? known.length === 0
      : read.choices.accepted.length > 0 && unmapped.length === read.choices.accepted.length;
  if (isNothingMapped) return refuse('nothing_mapped', unmapped);
  const action = read.action || actionFor(categories, known);
  if (!ACTION.test(action)) return refuse('action_invalid', unmapped);
  const { projectId, profile } = rules;
  return {
    kind: 'consent',
    givenAt,
    unmapped,
    consent: {
      id: importedId({ projectId, profile, originalId, givenAt }),
      originalId,
      ...categories,
      action,
      hostname: readHostname(read.hostname),
      language: isLanguage(read.language) ? read.language : null,
      visitor: read.visitor === '' ? null : read.visitor.slice(0, VISITOR_CHARACTERS_MAX),
    },
  };
}

/** PostgreSQL's text has neither NUL nor half a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function actionFor(categories: Record<ImportCategory, boolean>, known: readonly ImportCategory[]): string {
  if (known.every((category) => categories[category])) return 'accept_all';
  return known.some((category) => categories[category]) ? 'custom' : 'reject_all';
}

function readHostname(text: string): string | null {
  const isValid = text !== '' && text.length <= HOSTNAME_CHARACTERS_MAX && HOSTNAME.test(text);
  return isValid ? text.toLowerCase().replace(/\.$/, '') : null;
}
