import { existsSync, readFileSync } from 'node:fs';
import type { GetICUArgs } from '@schummar/icu-type-parser';
import type { IntlMessageFormat } from 'intl-messageformat';
import type mails from '../../../messages/mails.en.json';
import type pages from '../../../messages/pages.en.json';
import type proof from '../../../messages/proof.en.json';
import type records from '../../../messages/records.en.json';
import type scanReport from '../../../messages/scan-report.en.json';
import type scans from '../../../messages/scans.en.json';
import type site from '../../../messages/site.en.json';
import { loadOnDemand } from '../process/load-on-demand.js';

/** The files of `messages/` that the server reads, with the types of the English ones. */
interface Subjects {
  mails: typeof mails;
  pages: typeof pages;
  proof: typeof proof;
  records: typeof records;
  'scan-report': typeof scanReport;
  scans: typeof scans;
  site: typeof site;
}
type Subject = keyof Subjects;
export const MESSAGE_LANGUAGES = ['en', 'de'] as const;
export type MessageLanguage = (typeof MESSAGE_LANGUAGES)[number];

/** The keys of a file, with dots between groups. */
type KeyIn<Group> = Group extends unknown
  ? {
      [Key in keyof Group & string]: Group[Key] extends string ? Key : `${Key}.${KeyIn<Group[Key]>}`;
    }[keyof Group & string]
  : never;
/** The English message; of several files, the one of the file that has the key. */
type MessageAt<Group, Key> = Group extends unknown
  ? Key extends keyof Group
    ? Group[Key]
    : Key extends `${infer First}.${infer Rest}`
      ? First extends keyof Group
        ? MessageAt<Group[First], Rest>
        : never
      : never
  : never;
type Arguments<Message> = Message extends string
  ? GetICUArgs<Message, { ICUArgument: string; ICUNumberArgument: number; ICUDateArgument: Date }>
  : never;
type Values = Record<string, string | number | Date>;

/** Formats a message; its key and its ICU arguments are checked against the English file. */
type Translate<Name extends Subject> = <Key extends KeyIn<Subjects[Name]>>(
  key: Key,
  ...values: object extends Arguments<MessageAt<Subjects[Name], Key>>
    ? [values?: Arguments<MessageAt<Subjects[Name], Key>>]
    : [values: Arguments<MessageAt<Subjects[Name], Key>>]
) => string;

/** A build has a copy beside its code. */
const FOLDER = ['../../messages/', '../../../messages/']
  .map((path) => new URL(path, import.meta.url))
  .find((folder) => existsSync(folder));
/** What only the formatter understands: arguments, tags and escapes. */
const SYNTAX = /[{<']/;

const files = new Map<string, object>();
const formats = new Map<string, IntlMessageFormat>();

/** The messages of some subjects in one language. Files, the formatter and parsed messages are loaded on first use. */
export function translator<Name extends Subject>(
  language: MessageLanguage,
  ...subjects: Name[]
): Translate<Name> {
  return (key, ...[values]) => {
    const message = find(language, subjects, key);
    return SYNTAX.test(message) ? format(message, language, values as Values) : message;
  };
}

/** The messages of a group and its subgroups. */
type Texts<Group> = { [Key in keyof Group]: Group[Key] extends string ? string : Texts<Group[Key]> };

/** All messages of a subject in one of its languages, not formatted: arguments are still placeholders. */
export function messagesOf<Name extends Subject>(subject: Name, language: string): Texts<Subjects[Name]> {
  return fileOf(`${subject}.${language}`) as Texts<Subjects[Name]>;
}

function find(language: MessageLanguage, subjects: readonly Subject[], key: string): string {
  const path = key.split('.');
  const owner = subjects.find((subject) => path[0] && path[0] in fileOf(`${subject}.${language}`));
  const found = owner && path.reduce<unknown>(member, fileOf(`${owner}.${language}`));
  if (typeof found !== 'string') throw new Error(`No message ${key} in ${subjects.join(', ')}`);
  return found;
}

const member = (group: unknown, name: string): unknown =>
  (group as Record<string, unknown> | undefined)?.[name];

function fileOf(name: string): object {
  const file =
    files.get(name) ?? (JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as object);
  files.set(name, file);
  return file;
}

function format(message: string, language: MessageLanguage, values: Values): string {
  const key = `${language} ${message}`;
  let parsed = formats.get(key);
  if (!parsed) {
    const library = loadOnDemand('intl-messageformat') as typeof import('intl-messageformat');
    parsed = new library.IntlMessageFormat(message, language);
    formats.set(key, parsed);
  }
  return String(parsed.format(values));
}
