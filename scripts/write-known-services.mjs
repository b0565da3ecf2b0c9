// `npm run generate -- services`: writes the known cookies and services that scans are classified with
// (src/modules/scans/infrastructure/known-data), from the Open Cookie Database and third-party-web. Both come from packages of
// scripts/cookie-data, which the root's `npm ci` does not install. Of the package that carries the Open Cookie Database
// nothing else is read: its list of trackers derives from data with another license.
import './node-version.mjs';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from './install-packages.mjs';

const ROOT = join(import.meta.dirname, '..');
const PACKAGES = join(ROOT, 'scripts', 'cookie-data');
const TARGET = join(ROOT, 'src', 'modules', 'scans', 'infrastructure', 'known-data');
const COOKIES = join('@slashgear', 'gdpr-cookie-scanner', 'dist', 'data', 'open-cookie-database.json');
const ENTITIES = join('third-party-web', 'dist', 'entities-nostats.json');
/** Descriptions are cut here: they are proposed as the purpose of a cookie. */
const PURPOSE_CHARACTERS_MAX = 300;

/** The content of `services.json`. */
export function knownServices() {
  installPackages(PACKAGES);
  const { dependencies } = JSON.parse(readFileSync(join(PACKAGES, 'package.json'), 'utf8'));
  return text({
    packages: dependencies,
    cookies: cookies(read(COOKIES)),
    entities: entities(read(ENTITIES)),
  });
}

/** One row a line, so that a difference of two versions can be read. */
function text({ packages, cookies: rows, entities: known }) {
  const lines = (list) => `[\n${list.map((row) => JSON.stringify(row)).join(',\n')}\n]`;
  return `{"packages":${JSON.stringify(packages)},\n"cookies":${lines(rows)},\n"entities":${lines(known)}}\n`;
}

/** `[name, is prefix, domains, category, platform, controller, purpose, duration, policy]`, in the order of the names. */
function cookies(platforms) {
  const rows = Object.entries(platforms).flatMap(([platform, list]) =>
    list.map(({ cookie, wildcardMatch, domain, category, dataController, ...row }) => [
      cookie.trim().replace(/\*$/, ''),
      wildcardMatch === '1' || cookie.trim().endsWith('*') ? 1 : 0,
      domains(domain),
      category,
      platform,
      dataController.trim(),
      cut(row.description.trim()),
      row.retentionPeriod.trim(),
      /^https?:\/\//.test(row.privacyLink.trim()) ? row.privacyLink.trim() : '',
    ]),
  );
  const named = rows.filter(([name]) => name !== '');
  return [...new Set(named.map((row) => JSON.stringify(row)))].toSorted().map((row) => JSON.parse(row));
}

/** The domains named in a cell such as `.bing.com (3rd party) or .microsoft.com (3rd party)`. */
function domains(cell) {
  const found = cell
    .toLowerCase()
    .split(/\s+or\s+|^or\s+|,/)
    .map((part) =>
      part
        .replace(/\(.*?\)/g, '')
        // A placeholder, as in `ads-[account].adhese.com`, matches any label.
        .replace(/^[^.]*\[.*?\][^.]*\./, '')
        .replace(/[^a-z0-9.-]/g, '')
        .replace(/^\.+|\.+$/g, ''),
    );
  return [...new Set(found.filter((host) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(host)))];
}

/** `[name, company, category, domains]`; a domain that begins with `*.` includes the hosts below it. */
function entities(list) {
  return list
    .map(({ name, company = name, category, domains: hosts }) => [
      name,
      company,
      category,
      [...new Set(hosts.map((host) => host.toLowerCase()))],
    ])
    .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function cut(purpose) {
  const words = purpose.replace(/\s+/g, ' ');
  return words.length > PURPOSE_CHARACTERS_MAX ? `${words.slice(0, PURPOSE_CHARACTERS_MAX - 1)}…` : words;
}

function read(path) {
  return JSON.parse(readFileSync(join(PACKAGES, 'node_modules', path), 'utf8'));
}

if (import.meta.main) {
  writeFileSync(join(TARGET, 'services.json'), knownServices());
  copyFileSync(
    join(PACKAGES, 'node_modules', 'third-party-web', 'LICENSE'),
    join(TARGET, 'LICENSE.third-party-web'),
  );
}
