// Fails if loader, banner, its part for services, signals or blocker exceed their size limits for customers' pages
// (docs/loader.md).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LOADER_BYTES_MAX = 3 * 1024;
/** Without the project's rules. */
const BLOCKER_BYTES_MAX = 4 * 1024;
/** With the loader and the styles, which are part of it. */
const BANNER_BYTES_MAX = 20 * 1024;
const SIGNALS_BYTES_MAX = 2 * 1024;
/** The banner's part where visitors choose by service, with its styles. */
const SERVICES_BYTES_MAX = 4 * 1024;

const gzippedBytes = (name) => gzipSync(readFileSync(join('dist', 'loader', name)), { level: 9 }).length;
const loader = gzippedBytes('loader.js');
const blocker = gzippedBytes('blocker.js');
const signals = gzippedBytes('signals.js');
const services = gzippedBytes('services.js');
const whole = loader + gzippedBytes('banner.js');
const wholeByService = loader + gzippedBytes('banner-by-service.js');
console.log(`loader: ${loader} of ${LOADER_BYTES_MAX} bytes gzipped`);
console.log(`blocker: ${blocker} of ${BLOCKER_BYTES_MAX} bytes gzipped`);
console.log(`loader, banner and styles: ${whole} of ${BANNER_BYTES_MAX} bytes gzipped`);
console.log(`the same by service: ${wholeByService} of ${BANNER_BYTES_MAX} bytes gzipped`);
console.log(`signals: ${signals} of ${SIGNALS_BYTES_MAX} bytes gzipped`);
console.log(`services: ${services} of ${SERVICES_BYTES_MAX} bytes gzipped`);
// Sites whose visitors choose by category load nothing for a choice by service.
if (/data-service|searchServices/.test(readFileSync(join('dist', 'loader', 'banner.js'), 'utf8'))) {
  console.error('banner.js has code for a choice by service, which belongs behind BY_SERVICE.');
  process.exit(1);
}
if (
  loader > LOADER_BYTES_MAX ||
  blocker > BLOCKER_BYTES_MAX ||
  whole > BANNER_BYTES_MAX ||
  wholeByService > BANNER_BYTES_MAX ||
  signals > SIGNALS_BYTES_MAX ||
  services > SERVICES_BYTES_MAX
)
  process.exit(1);
