// Builds the loader (loader/) into loader/loader.js of the build (dist, or the folder named), for every browser that
// knows ES2020. What it shares with the service comes from the compiled service, so this runs after it is compiled.
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const out = resolve(process.argv[2] ?? 'dist');
const compiled = (file) => import(pathToFileURL(join(out, file)).href);
const { PREVIEW_HOST_SUFFIXES } = await compiled('licensing/domain/preview-host-suffixes.js');
const { EU_GROUP, EU_REGIONS, UNKNOWN_REGION } = await compiled('publishing/domain/region.js');
const { CONSENT_GLOBAL, META_GLOBAL, REGION_HEADER } = await compiled('shared/brand.js');

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
  outfile: join(out, 'loader', 'loader.js'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2020',
  charset: 'ascii',
  legalComments: 'none',
  logLevel: 'warning',
  define: Object.fromEntries(Object.entries(constants).map(([name, value]) => [name, JSON.stringify(value)])),
});
