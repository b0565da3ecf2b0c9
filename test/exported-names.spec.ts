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
  const files = globSync('src/modules/*/http/*.{dto,controller}.ts');
  expect(files.length).toBeGreaterThan(30);
  const names = files.flatMap((file) =>
    [
      ...readFileSync(file, 'utf8').matchAll(
        /(?<!@Injectable\(\)\n)^(?:export )?(?:abstract )?class (\w+)/gm,
      ),
    ].map(([, name = '']) => name),
  );
  expect(names.filter((name) => !/(Body|Query|Response|Controller)$/.test(name))).toEqual([]);
});
