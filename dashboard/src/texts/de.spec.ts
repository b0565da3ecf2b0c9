import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { de } from './de.js';
import { en } from './en.js';

interface Named {
  enum: string[];
}
const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: {
    schemas: { Problem: { properties: { code: Named; errors: { items: { properties: { code: Named } } } } } };
  };
};
const { code, errors } = components.schemas.Problem.properties;

/** Error codes that only banners, API clients, other sites, and the billing provider can meet. */
const NOT_HERE =
  /^(webhook_|log_|tile_|timestamp_|body_not_json|unsupported_media_type|method_not_allowed|origin_not_allowed|consent_id_conflict|visitor_key_missing|scope_required|session_required|request_timeout|expectation_failed|headers_too_large)/;

describe.each([
  ['English', en],
  ['German', de],
])('%s', (_name, texts) => {
  it('has a text for every field error of the API', () => {
    const bounds = { min: 2, max: 9 };
    expect(errors.items.properties.code.enum.filter((each) => !texts.fields[each]?.(bounds))).toEqual([]);
  });
});

describe('German', () => {
  it('has a text for every error code that a user can meet', () => {
    expect(code.enum.filter((each) => !NOT_HERE.test(each) && !de.problems[each])).toEqual([]);
  });
});
