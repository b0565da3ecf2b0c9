import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { load } from 'js-yaml';

const SECTIONS = [
  'TERMS_OF_SERVICE',
  'INFO',
  'TEMPLATE_PARAMETERS',
  'SANDBOXED_JS_FOR_WEB_TEMPLATE',
  'WEB_PERMISSIONS',
  'TESTS',
  'NOTES',
];
const parts = readFileSync('integrations/google-tag-manager/template.tpl', 'utf8').split(/^___(\w+)___\n/m);
const section = (name: string): string => parts[parts.indexOf(name) + 1] ?? '';
const json = <T>(name: string): T => JSON.parse(section(name)) as T;
const CODE = section('SANDBOXED_JS_FOR_WEB_TEMPLATE');

interface Value {
  string?: string;
  listItem?: Value[];
  mapKey?: Value[];
  mapValue?: (Value & { boolean?: boolean })[];
}
interface Permission {
  instance: { key: { publicId: string }; param: { key: string; value: Value }[] };
}

/** Modules of the sandbox (developers.google.com/tag-platform/tag-manager/templates/api) and the permission of each. */
const PERMISSIONS: Record<string, string> = {
  gtagSet: 'write_data_layer',
  injectScript: 'inject_script',
  setDefaultConsentState: 'access_consent',
  setInWindow: 'access_globals',
  updateConsentState: 'access_consent',
};

describe('the file', () => {
  it('has the sections of a template, in order', () => {
    expect(parts.filter((_, index) => index % 2 === 1)).toEqual(SECTIONS);
  });

  it('is a tag for web containers, and each of its fields is used', () => {
    expect(json('INFO')).toMatchObject({ type: 'TAG', version: 1, containerContexts: ['WEB'] });
    const names = json<{ name: string }[]>('TEMPLATE_PARAMETERS').map(({ name }) => name);
    const used = new Set([...CODE.matchAll(/\bdata\.(\w+)/g)].map(([, name]) => name));
    expect([...used].filter((name) => !name?.startsWith('gtmOn'))).toEqual([
      'urlPassthrough',
      'adsDataRedaction',
      'loaderUrl',
    ]);
    expect(names.toSorted()).toEqual([...used].filter((name) => !name?.startsWith('gtmOn')).toSorted());
  });

  it.each([
    ['https://consent.example.com/cdn/1/loader.js', true],
    ['http://consent.example.com/cdn/1/loader.js', false],
    ['https://consent.example.com/cdn/1/banner.js', false],
  ])('takes %s as the address of the loader: %s', (address, isTaken) => {
    const [field] = json<{ valueValidators: { args?: string[] }[] }[]>('TEMPLATE_PARAMETERS');
    const pattern = field?.valueValidators.find(({ args }) => args)?.args?.[0] ?? '';
    expect(new RegExp(pattern).test(address)).toBe(isTaken);
  });

  it('has the permissions that its modules need, and no other', () => {
    const required = [...CODE.matchAll(/require\('(\w+)'\)/g)].map(([, name]) => PERMISSIONS[name ?? '']);
    const granted = json<Permission[]>('WEB_PERMISSIONS').map(({ instance }) => instance.key.publicId);
    expect(granted.toSorted()).toEqual([...new Set(required)].toSorted());
  });

  it('may write the consent types and globals that it writes', () => {
    const written = (id: string): unknown[] =>
      json<Permission[]>('WEB_PERMISSIONS')
        .filter(({ instance }) => instance.key.publicId === id)
        .flatMap(({ instance }) => instance.param[0]?.value.listItem ?? [])
        .map(({ string, mapValue }) => string ?? mapValue?.[0]?.string);
    expect(written('access_consent')).toEqual(
      [...CODE.matchAll(/^ {2}(\w+_\w+): categories/gm)].map((each) => each[1]),
    );
    expect(written('access_globals')).toEqual(['serviceConsentTagManager']);
    expect(written('write_data_layer')).toEqual(
      [...CODE.matchAll(/gtagSet\('(\w+)'/g)].map((each) => each[1]),
    );
  });
});

/** The environment of a scenario in the section TESTS, as in Tag Manager's editor. */
function harness(): { names: string[]; values: unknown[] } {
  const names = [...Object.keys(PERMISSIONS), 'gtmOnSuccess', 'gtmOnFailure'];
  const calls: Record<string, unknown[][]> = Object.fromEntries(names.map((name) => [name, []]));
  const mocks: Record<string, (...given: unknown[]) => unknown> = {};
  const api = Object.fromEntries(
    names.map((name) => [
      name,
      (...given: unknown[]): unknown => {
        calls[name]?.push(given);
        return mocks[name]?.(...given);
      },
    ]),
  );
  const runCode = (data: object): void => {
    const require = (name: string): unknown => {
      if (!(name in PERMISSIONS)) throw new Error(`${name} is no module of the sandbox`);
      return api[name];
    };
    const { gtmOnSuccess, gtmOnFailure } = api;
    // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-implied-eval -- the template's own code
    new Function('require', 'data', `'use strict';${CODE}`)(require, { ...data, gtmOnSuccess, gtmOnFailure });
  };
  const assertApi = (name: string) => ({
    wasCalled: () => expect(calls[name]).not.toEqual([]),
    wasNotCalled: () => expect(calls[name]).toEqual([]),
    wasCalledWith: (...given: unknown[]) =>
      expect(calls[name]?.some((call) => isDeepStrictEqual(call, given))).toBe(true),
  });
  const assertThat = (actual: unknown) => ({
    isEqualTo: (wanted: unknown) => expect(actual).toEqual(wanted),
  });
  const mock = (name: string, value: (...given: unknown[]) => unknown): void => {
    mocks[name] = value;
  };
  const tools = { runCode, assertApi, assertThat, mock };
  return { names: Object.keys(tools), values: Object.values(tools) };
}

describe('its own tests', () => {
  const { setup, scenarios } = load(section('TESTS')) as {
    setup: string;
    scenarios: { name: string; code: string }[];
  };

  it.each(scenarios.map(({ name, code }) => [name, code]))('%s', (_, code) => {
    const { names, values } = harness();
    // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-implied-eval -- the template's own tests
    new Function(...names, `'use strict';${setup}\n${code}`)(...values);
    expect.hasAssertions();
  });
});
