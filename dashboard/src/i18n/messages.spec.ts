import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import compile from 'icu-minify/compile';
import { fieldMessage } from '../api/problem.js';
import { translateCode } from './i18n.js';

const [en, de] = ['en', 'de'].map(
  (language) =>
    new Map(
      globSync(`dashboard/messages/{,*.}${language}.json`)
        .toSorted()
        .flatMap((file) => [...messagesOf(JSON.parse(readFileSync(file, 'utf8')))]),
    ),
) as [Map<string, string>, Map<string, string>];

describe('messages', () => {
  it('have the same keys in both languages', () => {
    expect([...de.keys()]).toEqual([...en.keys()]);
  });

  it('have the same arguments in both languages', () => {
    const differing = [...en.keys()].filter((key) => argumentsOf(de.get(key)) !== argumentsOf(en.get(key)));
    expect(differing).toEqual([]);
  });

  it('are all used', () => {
    const used = usedKeys();
    expect([...en.keys()].filter((key) => !used.some((pattern) => pattern.test(key)))).toEqual([]);
  });

  it('cover every field error of the API', () => {
    const { errors } = problemProperties();
    const codes = errors.items.properties.code.enum;
    expect(codes.filter((code) => fieldMessage(code, { min: 2, max: 9 }) === undefined)).toEqual([]);
  });

  it('cover every error code that a user can meet', () => {
    const missing = problemProperties().code.enum.filter(
      (code) =>
        !NOT_HERE.test(code) &&
        translateCode('problems', code) === undefined &&
        translateCode('problemDetails', code) === undefined,
    );
    expect(missing).toEqual([]);
  });
});

describe('fieldMessage', () => {
  it.each([
    [{ min: 1 }, 'At least 1 character.'],
    [{ min: 8 }, 'At least 8 characters.'],
    [{ max: 2_048 }, 'At most 2,048 characters.'],
    [{ min: 1, max: 80 }, '1 to 80 characters, without control characters.'],
  ])('names the limits %j', (bounds, message) => {
    expect(fieldMessage('length', bounds)).toBe(message);
  });

  it('leaves unknown codes to the API', () => {
    expect(fieldMessage('unheard_of', {})).toBeUndefined();
  });
});

/** Error codes that only banners, API clients, other sites, and the billing provider can meet. */
const NOT_HERE =
  /^(webhook_|log_|tile_|timestamp_|body_not_json|unsupported_media_type|method_not_allowed|origin_not_allowed|consent_id_conflict|scope_required|session_required|request_timeout|expectation_failed|headers_too_large)/;

interface Enum {
  enum: string[];
}

function problemProperties(): { code: Enum; errors: { items: { properties: { code: Enum } } } } {
  return JSON.parse(readFileSync('openapi.json', 'utf8')).components.schemas.Problem.properties;
}

/** Every message under its whole key. */
function messagesOf(group: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(group).flatMap(([key, value]) =>
      typeof value === 'string' ? [[prefix + key, value]] : [...messagesOf(value, `${prefix}${key}.`)],
    ),
  );
}

/** Names and types of a message's arguments. */
function argumentsOf(message = ''): string {
  const found = new Set<string>();
  const visit = (nodes: unknown): void => {
    if (!Array.isArray(nodes)) return;
    for (const node of nodes) {
      if (!Array.isArray(node)) continue;
      const [name, type, options] = node as [string, number?, unknown?];
      found.add(`${name}:${type === PLURAL ? NUMBER : (type ?? '')}`);
      if (typeof options === 'object' && options !== null) Object.values(options).forEach(visit);
    }
  };
  visit(compile(message));
  return [...found].toSorted().join(' ');
}

/** icu-minify's node types: languages differ in which numbers need plural forms. */
const PLURAL = 2;
const NUMBER = 4;

/** Keys in the sources, as patterns: a `${}` matches one code, which may contain a dot. */
function usedKeys(): RegExp[] {
  const sources = globSync('dashboard/src/**/*.{ts,tsx}').filter((path) => !/\.spec\.|\/client\//.test(path));
  const text = sources.map((path) => readFileSync(path, 'utf8')).join('\n');
  const literals = [...text.matchAll(/'(\w+(?:\.[\w -]+)+)'/g)].map(([, key]) => key!);
  const templates = [...text.matchAll(/\bt\(\s*`([^`]+)`/g)].map(([, key]) => key!);
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
