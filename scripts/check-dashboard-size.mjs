// Fails if a first visit to any page of the dashboard loads more script than allowed, if files of
// the build import each other in a circle, or if a Mantine component has no styles. The files of a
// page are read from the build's manifest: the entry, then the layout around the page, then the
// page, each with all its imports.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const SCRIPT_BYTES_MAX = 280_000;
/** Including the typeface and the icon; script compressed, the font uncompressed. */
const TOTAL_BYTES_MAX = 340_000;
/** Files of every page besides its script: the letters of English and German, and the icon. */
const ALWAYS_LOADED = /^(inter-latin-wght-normal|icon)-/;
const SHELL = 'src/app/shell.tsx';
/** Messages that only the pages of some features load. */
const PAGE_MESSAGES = [
  { features: /\/banner\//, messages: '../messages/banner.en.json' },
  { features: /\/device\//, messages: '../messages/device.en.json' },
  { features: /\/events\//, messages: '../messages/events.en.json' },
  { features: /\/privacy\//, messages: '../messages/imports.en.json' },
  { features: /\/forwarding\//, messages: '../messages/forwarding.en.json' },
  { features: /\/install\//, messages: '../messages/install.en.json' },
  {
    features: /\/(organizations|audit|account)\/|\/(accept-invitation|new-project|settings\/project)\.page/,
    messages: '../messages/organizations.en.json',
  },
  { features: /\/settings\/plan\./, messages: '../messages/plan.en.json' },
  { features: /\/(scans|cookies)\//, messages: '../messages/scans.en.json' },
];

const folder = join('dist', 'dashboard');
const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
const sizes = new Map();

/** The files that a chunk and everything that it imports come in. */
function filesOf(key, found = new Set()) {
  const { file, imports = [] } = manifest[key];
  if (!found.has(file)) {
    found.add(file);
    for (const each of imports) filesOf(each, found);
  }
  return found;
}

/** The first circle of static imports; null: none. */
function circleOf(keys, path = [], seen = new Set()) {
  for (const key of keys) {
    if (path.includes(key)) return [...path.slice(path.indexOf(key)), key];
    if (seen.has(key)) continue;
    seen.add(key);
    const found = circleOf(manifest[key].imports ?? [], [...path, key], seen);
    if (found) return found;
  }
  return null;
}

function gzipped(file) {
  if (!sizes.has(file)) sizes.set(file, gzipSync(readFileSync(join(folder, file)), { level: 9 }).length);
  return sizes.get(file);
}

// Only React's build for development says this.
const FOR_DEVELOPMENT = 'Encountered two children with the same key';
if (
  [...new Set(Object.values(manifest).map(({ file }) => file))].some((file) =>
    readFileSync(join(folder, file), 'utf8').includes(FOR_DEVELOPMENT),
  )
) {
  console.error('dashboard: it was built for development; remove dist and build again.');
  process.exit(1);
}

// Of files that need each other one runs before what it needs, and every page stays blank.
const circle = circleOf(Object.keys(manifest));
if (circle) {
  console.error(`dashboard: files of the build need each other: ${circle.join(' -> ')}`);
  process.exit(1);
}

// A part whose sheet app/mantine.css lacks is drawn without any style.
const MANTINE_CLASS = /\bm_[0-9a-f]{6,8}\b/g;
const textOf = (ending) =>
  readdirSync(join(folder, 'assets'))
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(folder, 'assets', name), 'utf8'))
    .join('\n');
const STYLES = join('node_modules', '@mantine', 'core', 'styles');
const styled = new Set(textOf('.css').match(MANTINE_CLASS));
const unstyled = new Set(textOf('.js').match(MANTINE_CLASS)).difference(styled);
const missing = readdirSync(STYLES)
  .filter((name) => !name.endsWith('.layer.css'))
  .filter((name) =>
    readFileSync(join(STYLES, name), 'utf8')
      .match(MANTINE_CLASS)
      ?.some((each) => unstyled.has(each)),
  );
if (missing.length > 0) {
  console.error(`dashboard: dashboard/src/app/mantine.css does not import ${missing.join(', ')}`);
  process.exit(1);
}

const pages = Object.keys(manifest).filter((key) => key.endsWith('.page.tsx'));
const visits = pages.map((page) => {
  const messages = PAGE_MESSAGES.filter(({ features }) => features.test(page)).map((each) => each.messages);
  const files = new Set(['index.html', SHELL, page, ...messages].flatMap((key) => [...filesOf(key)]));
  return { page, bytes: [...files].reduce((sum, file) => sum + gzipped(file), 0) };
});
const largest = visits.toSorted((a, b) => b.bytes - a.bytes)[0];
const beside = readdirSync(join(folder, 'assets')).filter(
  (name) => /^(?!.*\.(br|gz)$)/.test(name) && ALWAYS_LOADED.test(name),
);
if (beside.length !== 2) {
  console.error(`dashboard: a page should load one font and one icon, not ${beside.join(', ')}`);
  process.exit(1);
}
const total = beside.reduce((sum, name) => sum + statSync(join(folder, 'assets', name)).size, largest.bytes);
console.log(
  `dashboard: ${largest.bytes} of ${SCRIPT_BYTES_MAX} bytes of script gzipped for ${largest.page}, ` +
    `${total} of ${TOTAL_BYTES_MAX} with font and icon`,
);
if (largest.bytes > SCRIPT_BYTES_MAX || total > TOTAL_BYTES_MAX) process.exit(1);
