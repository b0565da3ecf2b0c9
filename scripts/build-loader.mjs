// Builds the loader (loader/) into dist/loader/loader.js, for every browser that knows ES2020. What it shares
// with the service comes from the compiled service, so this runs after it is compiled.
import { join } from 'node:path';
import { build } from 'esbuild';
import { PREVIEW_HOST_SUFFIXES } from '../dist/licensing/preview-host-suffixes.js';
import { EU_GROUP, EU_REGIONS, UNKNOWN_REGION } from '../dist/publishing/domain/region.js';
import { CONSENT_GLOBAL, META_GLOBAL, REGION_HEADER } from '../dist/shared/brand.js';

const suffixes = (hostClass) =>
  PREVIEW_HOST_SUFFIXES.filter((host) => host.class === hostClass)
    .map((host) => host.suffix)
    .join(' ');

const constants = {
  META_GLOBAL,
  CONSENT_GLOBAL,
  REGION_HEADER,
  EU_REGIONS,
  UNKNOWN_REGION,
  EU_GROUP,
  STAGING_SUFFIXES: suffixes('staging'),
  FREE_SUFFIXES: suffixes('free_subdomain'),
};

await build({
  entryPoints: [join('loader', 'loader.ts')],
  outfile: join('dist', 'loader', 'loader.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
  define: Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)])),
});
