import { describe, expect, it } from '@jest/globals';
import { isLower, type Roles, rolesWith } from './roles.js';

const ADMIN: Roles = { role: 'admin', projectRole: null };
const BILLING: Roles = { role: 'billing', projectRole: null };
const member = (projectRole: Roles['projectRole']): Roles => ({ role: 'member', projectRole });

describe(rolesWith.name, () => {
  it('keeps the role on projects for members only', () => {
    expect(rolesWith(member('editor'), { role: 'billing' })).toEqual(BILLING);
    expect(rolesWith(member('editor'), { projectRole: 'viewer' })).toEqual(member('viewer'));
    expect(rolesWith(ADMIN, { role: 'member' })).toEqual(member(null));
  });
});

describe(isLower.name, () => {
  it.each([
    [ADMIN, member('owner'), true],
    [ADMIN, BILLING, true],
    [BILLING, member('viewer'), true],
    [member('editor'), member('viewer'), true],
    [member('viewer'), member(null), true],
    [member('viewer'), BILLING, true],
    [member(null), BILLING, false],
    [member(null), member('owner'), false],
    [member('viewer'), member('editor'), false],
    [BILLING, ADMIN, false],
  ])('from %j to %j: %s', (from, to, expected) => {
    expect(isLower(to, from)).toBe(expected);
  });
});

it('gives nothing but the roles of a member', () => {
  const member = { userId: 'u1', role: 'member', projectRole: 'editor' } as const;
  expect(rolesWith(member, { projectRole: 'viewer' })).toEqual({ role: 'member', projectRole: 'viewer' });
  expect(rolesWith(member, { role: 'billing' })).toEqual({ role: 'billing', projectRole: null });
});
