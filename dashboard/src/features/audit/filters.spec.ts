import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AUDIT_ACTIONS, auditFilters } from './filters.js';

const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: { AuditEventResponse: { properties: { action: { enum: string[] } } } } };
};

describe('AUDIT_ACTIONS', () => {
  it('are those of the API', () => {
    const { enum: actions } = components.schemas.AuditEventResponse.properties.action;
    expect(AUDIT_ACTIONS.toSorted()).toEqual(actions.toSorted());
  });
});

describe(auditFilters.name, () => {
  it('takes a known action, and ignores another', () => {
    expect(auditFilters({ action: 'custom_domain.create' })).toEqual({ action: 'custom_domain.create' });
    expect(auditFilters({ action: 'custom_domain.paint' })).toEqual({});
  });
});
