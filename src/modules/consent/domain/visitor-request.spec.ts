import { describe, expect, it } from '@jest/globals';
import { visitorKeyHash } from './visitor-reference.js';
import { parseVisitorRequest } from './visitor-request.js';

const PROJECT = '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f';
const RECORD = '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20';
const NOWHERE = '00000000-0000-0000-0000-000000000000';
const KEY = 'ab'.repeat(38);

describe(parseVisitorRequest.name, () => {
  it('takes project, key and record, the key as its hash alone', () => {
    const body = { projectId: PROJECT.toUpperCase(), visitorKey: KEY, consentId: RECORD, language: 'en' };
    expect(parseVisitorRequest(body)).toEqual({
      kind: 'valid',
      request: {
        holder: { projectId: PROJECT, visitorKeyHash: visitorKeyHash(KEY) },
        consentId: RECORD,
        fields: { language: 'en' },
      },
    });
  });

  it.each([undefined, null])('means all records where consentId is %s', (consentId) => {
    const parsed = parseVisitorRequest({ projectId: PROJECT, visitorKey: KEY, consentId });
    expect(parsed).toMatchObject({ request: { consentId: null, fields: {} } });
  });

  it('lets a text that is no id name what is nowhere', () => {
    const parsed = parseVisitorRequest({ projectId: 'x', visitorKey: 'y', consentId: 'z' });
    expect(parsed).toEqual({
      kind: 'valid',
      request: {
        holder: { projectId: NOWHERE, visitorKeyHash: Buffer.alloc(38) },
        consentId: NOWHERE,
        fields: {},
      },
    });
  });

  it.each([[null], [[]], ['text'], [7]])('refuses the body %j', (body) => {
    expect(parseVisitorRequest(body)).toEqual({
      kind: 'invalid',
      errors: [{ field: '', message: 'Send one JSON object.' }],
    });
  });

  it('names every field that is no text', () => {
    const parsed = parseVisitorRequest({ projectId: 1, visitorKey: [KEY], consentId: {} });
    expect(parsed).toMatchObject({
      errors: [{ field: 'projectId' }, { field: 'visitorKey' }, { field: 'consentId' }],
    });
    expect(JSON.stringify(parsed)).not.toContain(KEY);
  });
});
