import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, it } from '@jest/globals';

const CIRCUS = dirname(createRequire(import.meta.url).resolve('jest-circus/package.json'));
/** Members that native-jest-circus.mjs replaces, and members that it leaves to Jest. */
const REPLACED = [
  'requireInternalModule',
  'requireModule',
  'setGlobalsForRuntime',
  'unstable_importModule',
  'unstable_shouldLoadAsEsm',
];
const LEFT = [
  'clearAllMocks',
  'enterTestCode',
  'leaveTestCode',
  'resetAllMocks',
  'resetModules',
  'restoreAllMocks',
];

/** A new version of Jest may load test files in another way: then the runner needs another look (ADR 56). */
it('jest-circus uses only those members of the runtime that the native runner knows', () => {
  const sources = ['runner.js', 'jestAdapterInit.js'].map((file) =>
    readFileSync(join(CIRCUS, 'build', file), 'utf8'),
  );
  const used = [...sources.join('\n').matchAll(/\bruntime\.(\w+)/g)].map(([, name]) => name);
  expect([...new Set(used)].sort()).toEqual([...REPLACED, ...LEFT].sort());
});
