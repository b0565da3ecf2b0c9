import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DATABASE_COMMANDS } from '../src/programs/operator-commands.js';
// @ts-expect-error A script has no types.
import { withDerivedFigures } from '../scripts/write-scaling.mjs';
// @ts-expect-error A script has no types.
import { schemaFiles } from '../scripts/write-schemas.mjs';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
  ...readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('README.md'))
    .map((file) => join('src', file)),
];

/** Made as the service or its tools run, so not part of a checkout. */
const MADE = /^(DATA_DIR|\.data|dist|bench\/results|test\/faults\/results)\//;

/** Where a named path may begin: at the root, at a folder of the service, or at a module. */
const PLACES = ['.', 'src', join('src', 'modules')];

/** The files that a document names in code type, by a path of at least one folder. */
function namedFiles(text: string): string[] {
  const named = text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.(?:ts|mjs|cjs|sql|md|json|yml|yaml))`/g);
  return [...named].map(([, path = '']) => path).filter((path) => !MADE.test(path));
}

/** The other files that it leads to, beside itself. */
function linkedFiles(text: string, document: string): string[] {
  const links = text.matchAll(/\]\((?![a-z]+:)([^)#\s]+)(?:#[^)]*)?\)/g);
  return [...links].map(([, path = '']) => join(document, '..', path));
}

/** The headings of other documents, and of this one, that it leads to: `file#anchor`. */
function linkedHeadings(text: string, document: string): [file: string, anchor: string][] {
  const links = text.matchAll(/\]\((?![a-z]+:)([^)#\s]*)#([^)\s]+)\)/g);
  return [...links].map(([, path = '', anchor = '']) => [
    path === '' ? document : join(document, '..', path),
    anchor,
  ]);
}

/** Anchors as GitHub derives them from headings. */
function headingsOf(file: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = readFileSync(file, 'utf8')
    .replaceAll(/^```.*?^```/gms, '')
    .matchAll(/^#{1,6} (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) => {
      const slug = heading
        .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

describe('docs/scaling.md', () => {
  const text = readFileSync(join('docs', 'scaling.md'), 'utf8');

  it('has its derived figures from its measurements; npm run generate -- scaling writes them again', () => {
    expect(withDerivedFigures(text)).toBe(text);
    // Another measurement changes every figure that follows from it.
    const slower = text.replace(/(\| processor, API .*?\| .*?\| )\d+ s/, '$1100 s');
    expect(slower).not.toBe(text);
    expect(withDerivedFigures(slower)).toContain('1,000 × 100 s / 86,400 s');
  });

  it('names no second figure for the processor of a million forwarded consents', () => {
    const seconds = [...text.matchAll(/1,000 × (\d+) s/g)].map(([, figure]) => `${figure} s`);
    const rows = text.split('\n').filter((line) => line.startsWith('| processor, '));
    expect(seconds).toEqual(rows.map((row) => row.split('|')[3]?.trim()));
  });
});

describe('docs/billing.md, for operators', () => {
  const [, section = ''] = readFileSync(join('docs', 'billing.md'), 'utf8').split('\n## For operators\n');
  const shown = [...(section.split('\n## ')[0] ?? '').matchAll(/npm run ops -- (\w+ \w+)/g)];

  it('names exactly the commands that take --dry-run', () => {
    const sentence = /^(`.*) take `--dry-run`/m.exec(section)?.[1] ?? '';
    const named = [...sentence.matchAll(/`(\w+ \w+)`/g)].map(([, name]) => name);
    const commands = shown.map(([, name]) => DATABASE_COMMANDS.find((command) => command.name === name));
    const takers = commands.filter((command) => command && 'dry-run' in command.options);
    expect(commands).not.toContain(undefined);
    expect(named).toEqual(takers.map((command) => command?.name));
  });
});

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(document, 'utf8');

  it('names files that are there', () => {
    const places = [...PLACES, dirname(document)];
    const missing = namedFiles(text).filter((path) => !places.some((place) => existsSync(join(place, path))));
    expect(missing).toEqual([]);
  });

  it('leads to files that are there', () => {
    expect(linkedFiles(text, document).filter((path) => !existsSync(path))).toEqual([]);
  });

  it('leads to headings that are there', () => {
    const missing = linkedHeadings(text, document).filter(
      ([file, anchor]) => file.endsWith('.md') && !headingsOf(file).has(anchor),
    );
    expect(missing).toEqual([]);
  });
});

describe('the schemas of the command line', () => {
  it('are those of openapi.json: npm run generate -- schemas', () => {
    const files = schemaFiles() as Record<string, string>;
    expect(Object.keys(files).length).toBeGreaterThan(3);
    for (const [path, text] of Object.entries(files)) expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
