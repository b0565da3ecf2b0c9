import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join('docs', file)),
];

/** Made as the service or its tools run, so not part of a checkout. */
const MADE = /^(DATA_DIR|\.data|dist|bench\/results|test\/faults\/results)\//;

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

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(document, 'utf8');

  it('names files that are there', () => {
    // Within the service, paths may begin at a module.
    const missing = namedFiles(text).filter((path) => !existsSync(path) && !existsSync(join('src', path)));
    expect(missing).toEqual([]);
  });

  it('leads to files that are there', () => {
    expect(linkedFiles(text, document).filter((path) => !existsSync(path))).toEqual([]);
  });
});
