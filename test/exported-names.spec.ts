import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const DECLARATION =
  /^export (?:abstract )?(?:async )?(?:function\*?|class|const|enum|interface|type) ([A-Za-z_]\w*)/gm;

it('each name that src exports has one meaning', () => {
  const places = new Map<string, string[]>();
  for (const file of globSync('src/**/*.ts', { exclude: (path) => path.endsWith('.spec.ts') })) {
    const names = [...readFileSync(file, 'utf8').matchAll(DECLARATION)].map(([, name = '']) => name);
    // Overloads and a type beside its constant are in one file.
    for (const name of new Set(names)) places.set(name, [...(places.get(name) ?? []), file]);
  }
  expect(places.size).toBeGreaterThan(1000);
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});

it('a class that describes a body, a query or a response ends with that word', () => {
  const names = globSync('src/modules/*/http/*.ts').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^(?:export )?(?:abstract )?class (\w+)[^]*?(?:\{\}$|^\})/gm)]
      .filter(([text]) => file.endsWith('.dto.ts') || text.includes('@ApiProperty'))
      .map(([, name = '']) => name),
  );
  expect(names.length).toBeGreaterThan(150);
  expect(names.filter((name) => !/(Body|Query|Response)$/.test(name))).toEqual([]);
});

it('no handler takes a body or a query that is called a response', () => {
  const files = globSync('src/modules/*/http/*.ts');
  const taken = files.flatMap((file) => [
    ...readFileSync(file, 'utf8').matchAll(/@(?:Body|Query)\([^)]*\)\s+(?:\w+|\{[^}]*\}):\s*(\w+)/g),
  ]);
  expect(taken.length).toBeGreaterThan(50);
  expect(taken.map(([, name = '']) => name).filter((name) => name.endsWith('Response'))).toEqual([]);
});
