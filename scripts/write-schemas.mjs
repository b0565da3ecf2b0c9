// Writes the JSON Schemas of the files of the command line (docs/schemas/) from openapi.json: `npm run generate -- schemas`.
// The service serves them below /docs/schemas/, where editors complete from them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const OUT = join('docs', 'schemas');
/** The body of each resource's PUT, without the members that are no state; of a `list`, the body of one item. */
const FILES = {
  configuration: {
    body: 'SaveConfigurationBody',
    without: ['comment', 'draftVersion', 'confirmMissingTexts'],
    title: 'Banner configuration of a project',
  },
  forwarding: {
    body: 'SaveForwardingBody',
    without: ['bearerToken'],
    title: 'Forwarding of consent records, without its token',
  },
  events: {
    body: 'CreateEventEndpointBody',
    without: [],
    list: 'endpoints',
    title: 'Event endpoints of a project, without their secrets',
  },
  privacy: { body: 'PrivacySettingsBody', without: [], title: 'Privacy settings of a project' },
  'scan-schedule': { body: 'SaveScanScheduleBody', without: [], title: 'When the site is scanned' },
};
const REF = /^#\/components\/schemas\//;

/**
 * The schema of one file, with everything that it refers to.
 * @param {Record<string, any>} schemas of openapi.json
 * @param {{ body: string, without: string[], list?: string, title: string }} file
 */
function schemaOf(schemas, { body, without, list, title }) {
  const definitions = new Map();
  const { properties, ...rest } = list === undefined ? schemas[body] : listOf(list, body);
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => !without.includes(name)));
  const schema = collect({ ...rest, properties: { $schema: { type: 'string' }, ...kept } });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...schema,
    $defs: Object.fromEntries([...definitions].toSorted(([one], [other]) => (one < other ? -1 : 1))),
  };

  function collect(/** @type {any} */ value) {
    if (Array.isArray(value)) return value.map(collect);
    if (typeof value !== 'object' || value === null) return value;
    if (typeof value.$ref !== 'string')
      return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, collect(member)]));
    const name = value.$ref.replace(REF, '');
    if (!definitions.has(name)) {
      definitions.set(name, null);
      definitions.set(name, collect(schemas[name]));
    }
    return { ...value, $ref: `#/$defs/${name}` };
  }
}

function listOf(/** @type {string} */ name, /** @type {string} */ item) {
  const items = { $ref: `#/components/schemas/${item}` };
  return {
    type: 'object',
    properties: { [name]: { type: 'array', items } },
    required: [name],
    additionalProperties: false,
  };
}

/** The text of each file by its path. */
export function schemaFiles() {
  const { schemas } = JSON.parse(readFileSync('openapi.json', 'utf8')).components;
  return Object.fromEntries(
    Object.entries(FILES).map(([name, file]) => [
      join(OUT, `${name}.json`),
      `${JSON.stringify(schemaOf(schemas, file), null, 2)}\n`,
    ]),
  );
}

if (process.argv[1] === import.meta.filename) {
  process.chdir(resolve(import.meta.dirname, '..'));
  mkdirSync(OUT, { recursive: true });
  for (const [path, text] of Object.entries(schemaFiles())) writeFileSync(path, text);
}
