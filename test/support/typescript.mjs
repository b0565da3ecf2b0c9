// Lets Node run the TypeScript of src/ and test/ directly, with the build's compiler.
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

registerHooks({
  resolve(specifier, context, next) {
    // The dashboard's imports have no extension: Vite resolves them.
    if (/^(\.{1,2}\/|file:)/.test(specifier)) {
      const source = new URL(specifier.replace(/(\.js)?$/, '.ts'), context.parentURL);
      if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
    }
    return next(specifier, context);
  },
  load(url, context, next) {
    const filename = url.startsWith('file:') ? fileURLToPath(url) : '';
    if (!filename.endsWith('.ts')) return next(url, context);
    const { code } = transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps: 'inline' });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
