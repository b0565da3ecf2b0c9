import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';

/** A piece of a source file and what stands there instead. */
export interface Edit {
  file: string;
  from: string;
  to: string;
}

/** A copy of the built service, which nobody builds anew while the lab runs it. */
export interface Build {
  programs: string;
  remove(): void;
}

/**
 * Copies `dist` to a folder of its own; files with edits are built anew from their edited source.
 * @throws Error where an edit does not fit its file any more.
 */
export function copyBuild(edits: Edit[] = []): Build {
  const sources = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const source = sources.get(file) ?? readFileSync(file, 'utf8');
    if (!source.includes(from)) throw new Error(`The edit "${to}" does not fit ${file} any more.`);
    sources.set(
      file,
      source.replace(from, () => to),
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'consent-build-'));
  const programs = join(folder, 'dist');
  cpSync('dist', programs, { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  for (const [file, source] of sources) {
    const target = join(programs, file.replace(/^src\//, '').replace(/\.ts$/, '.js'));
    writeFileSync(target, transformSync(source, { filename: file }).code);
  }
  return { programs, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
