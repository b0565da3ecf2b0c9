// Builds the loader, our banner and its part for services, its preview, the signals, the blocker and the declaration (loader/) into loader/ of the build (dist, or the folder given), for
// browsers that support ES2020. Constants shared with the service come from the compiled service, so this runs after it
// is compiled.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { minifySync } from '@swc/core';
import { build, transformSync } from 'esbuild';

const out = resolve(process.argv[2] ?? 'dist');
const compiled = (file) => import(pathToFileURL(join(out, file)).href);
const { EU_GROUP, UNKNOWN_REGION } = await compiled('modules/publishing/domain/region.js');
const { CONSENT_GLOBAL, META_GLOBAL, REGION_HEADER } = await compiled('platform/identity/brand.js');

async function bundle(entry, name, constants) {
  const { outputFiles } = await build({
    entryPoints: [join('loader', entry)],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2020',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
    minifySyntax: true,
    // Leaves out "use strict": the sources are checked as strict, and it is 8 bytes.
    tsconfigRaw: { compilerOptions: { alwaysStrict: false } },
    define: Object.fromEntries(
      Object.entries(constants).map(([constant, value]) => [constant, JSON.stringify(value)]),
    ),
  });
  // esbuild's own minifier leaves 3 % more.
  const { code } = minifySync(outputFiles[0].text, {
    compress: { passes: 3, ecma: 2020, pure_getters: true, keep_fargs: false, toplevel: true },
    mangle: { topLevel: true },
    format: { ascii_only: true, comments: false },
    ecma: 2020,
  });
  mkdirSync(join(out, 'loader'), { recursive: true });
  // Nothing of it becomes a global of the page: the minifier would unwrap some scripts.
  writeFileSync(join(out, 'loader', name), `(()=>{${code}})();`);
}

await bundle('loader.ts', 'loader.js', {
  META_GLOBAL,
  CONSENT_GLOBAL,
  REGION_HEADER,
  UNKNOWN_REGION,
  EU_GROUP,
});
// The second one is for sites whose visitors choose by service: nothing of that is in the first.
for (const [name, BY_SERVICE] of [
  ['banner.js', false],
  ['banner-by-service.js', true],
])
  await bundle('banner/banner.ts', name, {
    BANNER_CSS: styles('banner/banner.css'),
    CONSENT_GLOBAL,
    META_GLOBAL,
    BY_SERVICE,
  });
await bundle('services/services.ts', 'services.js', {
  SERVICES_CSS: styles('services/services.css'),
  CONSENT_GLOBAL,
});
await bundle('signals/signals.ts', 'signals.js', {});
await bundle('blocker/blocker.ts', 'blocker.js', { META_GLOBAL });
await bundle('declaration/declaration.ts', 'declaration.js', {});
await bundle('preview/preview.ts', 'preview.js', { UNKNOWN_REGION, EU_GROUP });

function styles(file) {
  const source = readFileSync(join('loader', file), 'utf8');
  return transformSync(source, { loader: 'css', minify: true }).code.trim();
}
