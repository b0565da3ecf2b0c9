import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { de } from './de.js';

interface Named {
  enum: string[];
}
const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: {
    schemas: { Problem: { properties: { code: Named; errors: { items: { properties: { code: Named } } } } } };
  };
};
const { code, errors } = components.schemas.Problem.properties;

/** Refusals that no act of the dashboard can meet: of banners, programs, other sites, and the provider. */
const NOT_HERE =
  /^(webhook_|log_|tile_|timestamp_|body_not_json|unsupported_media_type|method_not_allowed|origin_not_allowed|consent_id_conflict|visitor_key_missing|scope_required|session_required|request_timeout|expectation_failed|headers_too_large)/;

describe('German', () => {
  it('has a sentence for everything that the API may say of a field', () => {
    const bounds = { min: 2, max: 9 };
    const unsaid = errors.items.properties.code.enum.filter((each) => !de.fields[each]?.(bounds));
    expect(unsaid).toEqual([]);
  });

  it('has a sentence for every refusal that a person can meet', () => {
    expect(code.enum.filter((each) => !NOT_HERE.test(each) && !de.problems[each])).toEqual([]);
  });
});
