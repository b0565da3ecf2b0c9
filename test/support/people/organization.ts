import type { TestUser } from './user.js';

/** An organization as its members see it. */
export interface TestOrganization {
  id: string;
  name: string;
}

/** Creates an organization with the user as its admin. */
export async function createOrganization(admin: TestUser, name = 'Agency'): Promise<TestOrganization> {
  return created(await admin.request('POST', '/v1/organizations', { name }));
}

/** Creates a project in an organization, as its admin. Returns its id. */
export async function createProjectIn(
  admin: TestUser,
  organizationId: string,
  name = 'Bakery',
): Promise<string> {
  const project = await admin.request('POST', '/v1/projects', { name, organizationId });
  return (await created<{ id: string }>(project)).id;
}

/** Makes a user a member in the way that people become members: an admin invites, and the user accepts. */
export async function joinOrganization(
  admin: TestUser,
  organizationId: string,
  user: TestUser,
  roles: { role: string; projectRole?: string | null },
): Promise<void> {
  const path = `/v1/organizations/${organizationId}/invitations`;
  const invited = await admin.request('POST', path, { email: user.email, ...roles });
  const { id } = await created<{ id: string }>(invited);
  const accepted = await user.request('POST', `/v1/me/invitations/${id}/accept`);
  if (accepted.status !== 200)
    throw new Error(`The acceptance answered ${accepted.status}: ${await accepted.text()}`);
}

async function created<Body = TestOrganization>(response: Response): Promise<Body> {
  if (response.status !== 201)
    throw new Error(`Expected 201, got ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}
