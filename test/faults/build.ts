import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { type Mutation, mutatedSources } from '../support/rules/mutation.js';

/** A copy of the built service, which no other build replaces while the lab runs it. */
export interface Build {
  programs: string;
  remove(): void;
}

/** Copies `dist` to a new folder; files that the mutations change are rebuilt from their sources. */
export function copyBuild(mutations: Mutation[] = []): Build {
  const folder = mkdtempSync(join(tmpdir(), 'consent-build-'));
  const programs = join(folder, 'dist');
  cpSync('dist', programs, { recursive: true });
  cpSync('package.json', join(folder, 'package.json'));
  symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'));
  for (const [file, code] of mutatedPrograms(mutations)) writeFileSync(join(programs, file), code);
  return { programs, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * The programs that the mutations change, by their place in `dist`.
 * @throws Error where a mutation does not fit the sources any more.
 */
export function mutatedPrograms(mutations: Mutation[]): Map<string, string> {
  return new Map(
    [...mutatedSources(mutations)].map(([file, source]) => [
      file.replace(/^src\//, '').replace(/\.ts$/, '.js'),
      transformSync(source, { filename: file }).code,
    ]),
  );
}
