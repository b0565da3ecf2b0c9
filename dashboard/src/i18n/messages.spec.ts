import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { fieldMessage } from '../api/problem.js';
import { translateCode } from './i18n.js';

describe('messages', () => {
  it('cover every field error of the API', () => {
    const { errors } = problemProperties();
    const codes = errors.items.properties.code.enum;
    expect(codes.filter((code) => fieldMessage(code, { min: 2, max: 9 }) === undefined)).toEqual([]);
  });

  it('cover every error code that a user can meet', () => {
    const missing = problemProperties().code.enum.filter(
      (code) =>
        !NOT_HERE.test(code) &&
        translateCode('problems', code) === undefined &&
        translateCode('problemDetails', code) === undefined,
    );
    expect(missing).toEqual([]);
  });
});

describe('fieldMessage', () => {
  it.each([
    [{ min: 1 }, 'At least 1 character.'],
    [{ min: 8 }, 'At least 8 characters.'],
    [{ max: 2_048 }, 'At most 2,048 characters.'],
    [{ min: 1, max: 80 }, '1 to 80 characters, without control characters.'],
  ])('names the limits %j', (bounds, message) => {
    expect(fieldMessage('length', bounds)).toBe(message);
  });

  it('leaves unknown codes to the API', () => {
    expect(fieldMessage('unheard_of', {})).toBeUndefined();
  });
});

/** Error codes that only banners, API clients, other sites, and the billing provider can meet. */
const NOT_HERE =
  /^(webhook_|log_|tile_|timestamp_|body_not_json|unsupported_media_type|method_not_allowed|origin_not_allowed|host_not_allowed|consent_id_conflict|scope_required|session_required|request_timeout|expectation_failed|headers_too_large)/;

interface Enum {
  enum: string[];
}

function problemProperties(): { code: Enum; errors: { items: { properties: { code: Enum } } } } {
  return JSON.parse(readFileSync('openapi.json', 'utf8')).components.schemas.Problem.properties;
}
