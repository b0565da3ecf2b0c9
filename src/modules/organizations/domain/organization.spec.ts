import { describe, expect, it } from '@jest/globals';
import { type OrganizationRoles, roleOnProjects, rolesAfterAccepting } from './organization.js';

const ADMIN: OrganizationRoles = { role: 'admin', projectRole: null };
const BILLING: OrganizationRoles = { role: 'billing', projectRole: null };
const NONE: OrganizationRoles = { role: 'member', projectRole: null };
const VIEWER: OrganizationRoles = { role: 'member', projectRole: 'viewer' };
const OWNER: OrganizationRoles = { role: 'member', projectRole: 'owner' };

describe(roleOnProjects.name, () => {
  it.each([
    [ADMIN, 'owner'],
    [BILLING, null],
    [NONE, null],
    [VIEWER, 'viewer'],
    [OWNER, 'owner'],
  ] as const)('of %j is %s', (roles, expected) => {
    expect(roleOnProjects(roles)).toBe(expected);
  });
});

describe(rolesAfterAccepting.name, () => {
  it.each([
    [null, VIEWER, VIEWER],
    [VIEWER, ADMIN, ADMIN],
    [BILLING, ADMIN, ADMIN],
    [ADMIN, VIEWER, ADMIN],
    [BILLING, OWNER, BILLING],
    [NONE, BILLING, BILLING],
    [VIEWER, BILLING, VIEWER],
    [NONE, VIEWER, VIEWER],
    [VIEWER, OWNER, OWNER],
    [OWNER, VIEWER, OWNER],
    [VIEWER, NONE, VIEWER],
  ])('of %j, offered %j, is %j', (held, offered, expected) => {
    expect(rolesAfterAccepting(held, offered)).toEqual(expected);
  });
});
