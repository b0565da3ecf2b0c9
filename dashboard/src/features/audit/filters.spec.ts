import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { AUDIT_ACTIONS, auditFilters } from './filters.js';
import { ORGANIZATION_ACTIONS, PROJECT_ACTIONS } from './log-actions.js';

const { components } = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  components: { schemas: { AuditEventResponse: { properties: { action: { enum: string[] } } } } };
};

describe('AUDIT_ACTIONS', () => {
  it('are those of the API', () => {
    const { enum: actions } = components.schemas.AuditEventResponse.properties.action;
    expect(AUDIT_ACTIONS.toSorted()).toEqual(actions.toSorted());
  });

  it('are each in the log of a project or of an organization', () => {
    expect(ORGANIZATION_ACTIONS).toContain('organization_member.remove');
    expect(ORGANIZATION_ACTIONS).not.toContain('project.update');
    expect(PROJECT_ACTIONS).toContain('project.move');
    expect(PROJECT_ACTIONS).not.toContain('organization_member.remove');
    expect(new Set([...ORGANIZATION_ACTIONS, ...PROJECT_ACTIONS])).toEqual(new Set(AUDIT_ACTIONS));
  });
});

describe(auditFilters.name, () => {
  it('takes a known action, and ignores another', () => {
    expect(auditFilters({ action: 'custom_domain.create' })).toEqual({ action: 'custom_domain.create' });
    expect(auditFilters({ action: 'custom_domain.paint' })).toEqual({});
  });
});
