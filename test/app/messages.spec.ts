import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { IntlMessageFormat } from 'intl-messageformat';

/** Not read by keys. A test of publishing compares its labels with the banner's. */
const READ_WHOLE = 'site.en';
/** The messages of each file, by whole key. */
const files = new Map(
  globSync('messages/*.json')
    .toSorted()
    .map((path) => [basename(path, '.json'), messagesOf(JSON.parse(readFileSync(path, 'utf8')))]),
);
const english = [...files.keys()].filter((name) => name.endsWith('.en'));
const used = usedKeys();
const translations = [...files.keys()].filter((name) => !name.endsWith('.en'));

describe('messages', () => {
  it('have their subjects in English and German', () => {
    const missing = english.map((name) => name.replace(/en$/, 'de')).filter((name) => !files.has(name));
    expect(missing).toEqual([]);
  });

  it.each(translations)('have the same keys and arguments as in English: %s', (name) => {
    const [translated, original] = [
      files.get(name)!,
      files.get(name.replace(/\.[\w-]+$/, '.en')) ?? new Map(),
    ];
    expect([...translated.keys()]).toEqual([...original.keys()]);
    expect(
      [...original.keys()].filter(
        (key) => argumentsOf(translated.get(key)) !== argumentsOf(original.get(key)),
      ),
    ).toEqual([]);
  });

  it('have groups that are in one file only', () => {
    const groups = english.flatMap((name) => [
      ...new Set([...files.get(name)!.keys()].map((key) => key.split('.')[0])),
    ]);
    expect(groups.filter((group, index) => groups.indexOf(group) !== index)).toEqual([]);
  });

  it.each(english.filter((name) => name !== READ_WHOLE))('are all used: %s', (name) => {
    expect([...files.get(name)!.keys()].filter((key) => !used.some((pattern) => pattern.test(key)))).toEqual(
      [],
    );
  });
});

/** Every message under its whole key. */
function messagesOf(group: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(group).flatMap(([key, value]) =>
      typeof value === 'string' ? [[prefix + key, value]] : [...messagesOf(value, `${prefix}${key}.`)],
    ),
  );
}

type Part = ReturnType<IntlMessageFormat['getAst']>[number];

/** Names and types of a message's arguments. */
function argumentsOf(message = ''): string {
  const found = new Set<string>();
  const visit = (part: Part): void => {
    if ('value' in part && part.type !== LITERAL)
      found.add(`${part.value}:${part.type === PLURAL ? NUMBER : part.type}`);
    if ('children' in part) part.children.forEach(visit);
    if ('options' in part) for (const { value } of Object.values(part.options)) value.forEach(visit);
  };
  new IntlMessageFormat(message).getAst().forEach(visit);
  return [...found].toSorted().join(' ');
}

/** The parser's types: languages differ in which numbers need plural forms. */
const LITERAL = 0;
const NUMBER = 2;
const PLURAL = 6;

/** Keys in the sources, as patterns: a `${}` matches one code, which may contain a dot. */
function usedKeys(): RegExp[] {
  const sources = globSync(['dashboard/src/**/*.{ts,tsx}', 'src/**/*.ts']).filter(
    (path) => !/\.spec\.|\/client\//.test(path),
  );
  const text = sources
    .map((path) => readFileSync(path, 'utf8'))
    .filter((source) => /\bt\(|\btranslat(e|eCode|or)\(/.test(source))
    .join('\n');
  const literals = [...text.matchAll(/'(\w+(?:\.[\w -]+)+)'/g)].map(([, key]) => key!);
  const templates = [...text.matchAll(/\b(?:t|translate)\(\s*`([^`]+)`/g)].map(([, key]) => key!);
  const codes = [...text.matchAll(/\btranslateCode\((['`])(.+?)\1/g)].map(([, , group]) => `${group}.\${}`);
  return [...literals, ...templates, ...codes, 'fields.${}'].map(
    (key) =>
      new RegExp(
        `^${key
          .split(/\$\{[^}]*\}/)
          .map((part) => part.replaceAll('.', '\\.'))
          .join('[^.]+(\\.[^.]+)?')}$`,
      ),
  );
}
