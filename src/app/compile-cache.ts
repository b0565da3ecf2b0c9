import module from 'node:module';
import { join } from 'node:path';

/** Keeps the code that V8 compiled: later starts load the same modules in about half the time. */
export function enableCompileCache(): void {
  module.enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'));
}
