// Compiles src/ with swc, as .swcrc says, into the folder named: one .js and one .js.map per source file. Data that the
// service reads from beside its code is copied with its licenses, and so are the messages and the guides of `/docs`.
import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { transformFile } from '@swc/core';

const SOURCE = 'src';
/** The documents that the service does not serve. */
const DECISIONS = join('docs', 'adr');
const out = process.argv[2];

const sources = globSync(`${SOURCE}/**/*.ts`, { exclude: [`${SOURCE}/**/*.spec.ts`] });
// swc works on all cores.
await Promise.all(sources.map(compile));

for (const folder of globSync(`${SOURCE}/**/known-data`))
  cpSync(folder, join(out, relative(SOURCE, folder)), { recursive: true });

for (const file of globSync('messages/*.json')) cpSync(file, join(out, file));

cpSync('docs', join(out, 'docs'), { recursive: true, filter: (path) => path !== DECISIONS });

async function compile(path) {
  const target = join(out, relative(SOURCE, path).replace(/\.ts$/, '.js'));
  const { code, map } = await transformFile(path, { sourceFileName: relative(dirname(target), path) });
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, `${code}\n//# sourceMappingURL=${basename(target)}.map\n`);
  writeFileSync(`${target}.map`, map);
}
