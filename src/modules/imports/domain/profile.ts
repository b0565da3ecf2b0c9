import type { ImportProfile, RefusalReason } from './import.js';
import type { Choices } from './mapping.js';

/** The texts of a row by our names; empty where the file has none. */
export type Fields = Readonly<Record<string, string>>;

/** A consent as read from its rows, not mapped yet. */
interface ReadConsent {
  kind: 'consent';
  originalId: string;
  /** As in the file. */
  givenAt: string;
  /** Empty: the choices determine it. */
  action: string;
  choices: Choices;
  hostname: string;
  language: string;
  /** Value of the project's visitor field; empty: none. */
  visitor: string;
}

type ReadRows = ReadConsent | { kind: 'refused'; reason: RefusalReason; originalId?: string };

/** How the files of another product are read. */
interface Profile {
  /** Our names with the names of the column or member in files, in lower case without separators. */
  columns: Readonly<Record<string, readonly string[]>>;
  /** Our names of which each file must have at least one in every list. */
  required: readonly (readonly string[])[];
  /** Rows with the same values of these are one consent; absent: each row is one. */
  groupedBy?: readonly string[];
  /** The choices of a row of JSON; absent: they are in the columns. */
  choicesOf?(row: Record<string, unknown>): Choices | null;
  read(rows: readonly Fields[], choices: Choices | null): ReadRows;
}

const YES = new Set(['true', '1', 'yes', 'y', 'on', 'granted', 'accepted']);
const NO = new Set(['false', '0', 'no', 'n', 'off', 'denied', 'rejected', '']);

/** null: it is neither. */
function readFlag(text: string): boolean | null {
  const word = text.trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : null;
}

function listOf(text: string): string[] {
  return text
    .replaceAll(/^[[{"\s]+|[\]}"\s]+$/g, '')
    .split(/[,;|]/)
    .map((name) => name.replaceAll(/^["'\s]+|["'\s]+$/g, ''))
    .filter((name) => name !== '');
}

/** The host of a page's address; empty: none. */
function hostOf(page: string): string {
  return URL.canParse(page) ? new URL(page).hostname : '';
}

const refused = (reason: RefusalReason, originalId = ''): ReadRows => ({
  kind: 'refused',
  reason,
  originalId,
});

/** The action that a word of another product names; empty: the choices determine it. */
function actionOf(word: string): string {
  if (/withdraw|revoke/i.test(word)) return 'withdraw';
  if (/accept.?all/i.test(word)) return 'accept_all';
  if (/(reject|deny|refuse|decline).?all/i.test(word)) return 'reject_all';
  return '';
}

const NONE: Omit<ReadConsent, 'originalId' | 'givenAt' | 'choices'> = {
  kind: 'consent',
  action: '',
  hostname: '',
  language: '',
  visitor: '',
};

const ALL: Choices = {
  kind: 'each',
  granted: new Map([
    ['analytics', true],
    ['marketing', true],
    ['preferences', true],
  ]),
};

const generic: Profile = {
  columns: {
    id: ['id', 'consentid'],
    givenAt: ['givenat', 'timestamp', 'date'],
    analytics: ['analytics'],
    marketing: ['marketing'],
    preferences: ['preferences'],
    categories: ['categories'],
    action: ['action'],
    hostname: ['hostname'],
    language: ['language'],
    visitor: ['visitor'],
  },
  required: [['id'], ['givenAt'], ['analytics', 'marketing', 'preferences', 'categories']],
  choicesOf({ categories }) {
    return Array.isArray(categories) ? { kind: 'listed', accepted: categories.map(String) } : null;
  },
  read([row = {}], choices) {
    const granted = new Map<string, boolean>();
    for (const name of ['analytics', 'marketing', 'preferences']) {
      const text = row[name];
      if (text === undefined) continue;
      const flag = text === '' ? null : readFlag(text);
      if (flag === null) return refused('choice_unreadable', row['id']);
      granted.set(name, flag);
    }
    return {
      kind: 'consent',
      originalId: row['id'] ?? '',
      givenAt: row['givenAt'] ?? '',
      action: row['action'] ?? '',
      choices:
        granted.size > 0
          ? { kind: 'each', granted }
          : (choices ?? { kind: 'listed', accepted: listOf(row['categories'] ?? '') }),
      hostname: row['hostname'] ?? '',
      language: row['language'] ?? '',
      visitor: row['visitor'] ?? '',
    };
  },
};

/** With these actions, no choice was made. */
const USERCENTRICS_NO_CHOICE = new Set([
  'oninitialpageload',
  'onnoneuregion',
  'onsessionrestored',
  'onmobilesessionrestore',
]);

const usercentrics: Profile = {
  columns: {
    id: ['controllerid'],
    givenAt: ['timestamp'],
    action: ['consentaction'],
    service: ['dataprocessingservicename', 'dataprocessingserviceid'],
    given: ['consentgiven'],
  },
  required: [['id'], ['givenAt'], ['service'], ['given']],
  groupedBy: ['id', 'givenAt'],
  read(rows) {
    const { id = '', givenAt = '', action = '' } = rows[0] ?? {};
    if (USERCENTRICS_NO_CHOICE.has(action.toLowerCase())) return refused('not_a_choice', id);
    const granted = new Map<string, boolean>();
    for (const row of rows) {
      const flag = row['given'] === '' ? null : readFlag(row['given'] ?? '');
      if (flag === null || !row['service']) return refused('choice_unreadable', id);
      granted.set(row['service'], flag);
    }
    return { ...NONE, originalId: id, givenAt, action: actionOf(action), choices: { kind: 'each', granted } };
  },
};

/** A view of the banner, an opt-in and two kinds of opt-out. */
const COMMANDERS_ACT_ACTIONS = new Map([
  ['1', true],
  ['0', false],
  ['-1', false],
]);

const commandersAct: Profile = {
  columns: {
    id: ['idhit'],
    givenAt: ['datehit'],
    action: ['privacyaction'],
    categories: ['cookie'],
  },
  required: [['id'], ['givenAt'], ['action'], ['categories']],
  read([row = {}]) {
    const { id = '', givenAt = '', action = '', categories = '' } = row;
    if (action.toUpperCase() === 'V') return refused('not_a_choice', id);
    const optIn = COMMANDERS_ACT_ACTIONS.get(action);
    const accepted = listOf(categories);
    if (optIn === undefined || (optIn && accepted.length === 0)) return refused('choice_unreadable', id);
    return { ...NONE, originalId: id, givenAt, choices: { kind: 'listed', accepted: optIn ? accepted : [] } };
  },
};

const cookiescript: Profile = {
  columns: {
    id: ['key', 'uniquekey', 'consentkey', 'consentid', 'id'],
    givenAt: ['date', 'datetime', 'dateandtime', 'time', 'timestamp'],
    action: ['action', 'useraction'],
    page: ['page', 'url', 'pageurl'],
    categories: ['categories', 'category'],
  },
  required: [['id'], ['givenAt'], ['action']],
  read([row = {}]) {
    const { id = '', givenAt = '', action = '', page = '', categories = '' } = row;
    const accepted = listOf(categories);
    const isAccept = /^accept/i.test(action);
    if (!isAccept && !/^reject/i.test(action)) return refused('choice_unreadable', id);
    // Without categories, the visitor could only accept all of them.
    const all = isAccept && accepted.length === 0;
    const choices: Choices = all ? ALL : { kind: 'listed', accepted: isAccept ? accepted : [] };
    return { ...NONE, originalId: id, givenAt, choices, hostname: hostOf(page) };
  },
};

const cookieCompliance: Profile = {
  columns: {
    id: ['consentid', 'consentrecordid', 'recordid', 'id'],
    givenAt: ['time', 'timestamp', 'date', 'eventtime'],
    action: ['event', 'eventtype', 'action'],
    categories: ['categories', 'purposes', 'purposecategories'],
  },
  required: [['id'], ['givenAt'], ['categories']],
  read([row = {}]) {
    const { id = '', givenAt = '', action = '', categories = '' } = row;
    const withdrawn = actionOf(action) === 'withdraw';
    const choices: Choices = { kind: 'listed', accepted: withdrawn ? [] : listOf(categories) };
    return { ...NONE, originalId: id, givenAt, action: actionOf(action), choices };
  },
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names with a choice, of a list of objects; the members' names in order of preference. */
function listedChoices(
  list: unknown,
  { names, state }: { names: readonly string[]; state: (item: Record<string, unknown>) => boolean | null },
): Choices | null {
  if (!Array.isArray(list)) return null;
  const granted = new Map<string, boolean>();
  for (const item of list) {
    if (!isObject(item)) return null;
    const name = names
      .map((member) => item[member])
      .find((value) => typeof value === 'string' && value !== '');
    const flag = state(item);
    if (typeof name === 'string' && flag !== null) granted.set(name, flag);
  }
  return { kind: 'each', granted };
}

const didomi: Profile = {
  columns: {
    id: ['id', 'userid'],
    givenAt: ['updatedat', 'createdat'],
  },
  required: [['id'], ['givenAt']],
  choicesOf({ consents }) {
    const purposes = isObject(consents) ? consents['purposes'] : null;
    return listedChoices(purposes, {
      names: ['id'],
      state: ({ enabled }) => (typeof enabled === 'boolean' ? enabled : null),
    });
  },
  read([row = {}], choices) {
    const { id = '', givenAt = '' } = row;
    return choices ? { ...NONE, originalId: id, givenAt, choices } : refused('choice_unreadable', id);
  },
};

/** States of a purpose; others, such as PENDING, are no choice. */
const ONETRUST_STATES = new Map([
  ...['ACTIVE', 'ALWAYS_ACTIVE', 'CONFIRMED', 'OPT_IN', 'EXTEND'].map((state) => [state, true] as const),
  ...['OPT_OUT', 'HARD_OPT_OUT', 'NOTGIVEN', 'NO_CONSENT', 'WITHDRAWN', 'CANCEL', 'EXPIRED'].map(
    (state) => [state, false] as const,
  ),
]);

const onetrust: Profile = {
  columns: {
    id: ['receiptid', 'receiptguid', 'id'],
    givenAt: ['interactiondate', 'consentdate', 'timestamp', 'createddate'],
    language: ['language'],
  },
  required: [['id'], ['givenAt']],
  choicesOf({ purposes, Purposes }) {
    return listedChoices(purposes ?? Purposes, {
      names: ['name', 'Name', 'purposeName', 'label', 'id', 'Id', 'purposeId'],
      state: (item) =>
        ONETRUST_STATES.get(
          String(
            item['status'] ?? item['Status'] ?? item['transactionType'] ?? item['TransactionType'],
          ).toUpperCase(),
        ) ?? null,
    });
  },
  read([row = {}], choices) {
    const { id = '', givenAt = '', language = '' } = row;
    return choices
      ? { ...NONE, originalId: id, givenAt, choices, language }
      : refused('choice_unreadable', id);
  },
};

const PROFILES: Record<ImportProfile, Profile> = {
  generic,
  usercentrics,
  commanders_act: commandersAct,
  cookiescript,
  cookie_compliance: cookieCompliance,
  didomi,
  onetrust,
};

export function profileOf(name: ImportProfile): Profile {
  return PROFILES[name];
}

/** Finds the values of a row by our names. */
export interface ColumnPlan {
  /** Our name, and the position in the header. */
  kept: [string, number][];
  /** Columns that the profile does not need, and their positions. They are not stored. */
  dropped: [string, number][];
  /** Our names that are required and missing, of the first list that is not satisfied; null: none. */
  missing: readonly string[] | null;
}

/** Which columns of a header the profile needs. */
export function planColumns({ columns, required }: Profile, header: readonly string[]): ColumnPlan {
  const places = new Map<string, number>();
  for (const [place, name] of header.entries()) {
    const plain = plainName(name);
    if (!places.has(plain)) places.set(plain, place);
  }
  const kept: [string, number][] = [];
  for (const [ours, theirs] of Object.entries(columns)) {
    const name = theirs.find((each) => places.has(each));
    if (name !== undefined) kept.push([ours, places.get(name) as number]);
  }
  const found = new Set(kept.map(([ours]) => ours));
  const used = new Set(kept.map(([, place]) => place));
  return {
    kept,
    dropped: [...header.entries()]
      .filter(([place]) => !used.has(place))
      .map(([place, name]) => [name, place]),
    missing: required.find((any) => !any.some((ours) => found.has(ours))) ?? null,
  };
}

/** A row of JSON as fields, with the members that the profile does not need. */
export function fieldsOfJson(
  profile: Profile,
  row: Record<string, unknown>,
): { fields: Fields; choices: Choices | null; dropped: string[]; missing: readonly string[] | null } {
  const names = Object.keys(row);
  const { kept, dropped, missing } = planColumns(profile, names);
  const fields: Record<string, string> = {};
  for (const [ours, place] of kept) {
    const value = row[names[place] as string];
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      fields[ours] = String(value).trim();
  }
  const choices = profile.choicesOf?.(row) ?? null;
  const used = new Set(choices === null ? [] : ['consents', 'purposes', 'Purposes']);
  const notUsed = dropped.map(([name]) => name).filter((name) => !used.has(name));
  return { fields, choices, dropped: notUsed, missing };
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
