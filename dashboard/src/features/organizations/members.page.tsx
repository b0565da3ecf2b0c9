import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  organizationInvitationListInfiniteOptions,
  organizationMemberListInfiniteOptions,
} from '../../client/@tanstack/react-query.gen';
import {
  organizationInvitationInvite,
  organizationInvitationResend,
  organizationInvitationWithdraw,
  organizationLeave,
} from '../../client/sdk.gen';
import type { OrganizationMemberResponse, OrganizationResponse } from '../../client/types.gen';
import { InfiniteTable } from '../../shared/infinite-table';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { InvitationTable } from '../settings/invitation-table';
import { InviteForm } from '../settings/invite-form';
import { LeaveButton } from '../settings/leave-button';
import { memberColumns, memberPhoneColumns } from '../settings/member-columns';
import { RoleFacts } from '../settings/role-facts';
import { AdminFieldset } from './admin-fieldset';
import {
  type LoweredRoles,
  LowerRolesDialog,
  MemberRoles,
  OrganizationRoleSelect,
  ProjectRoleSelect,
} from './member-roles';
import { RemoveMemberDialog } from './remove-member-dialog';
import { ORGANIZATION_ROLE_OPTIONS, PROJECT_ROLE_OPTIONS } from './role-options';
import { type Roles, rolesWith } from './roles';
import { rolesText } from './roles-text';
import { useOrganization } from './use-organization';

const REFRESHES = ['organizationInvitationList'] as const;
const PAGE_ROWS = 100;

const ROLES = [
  ...(['admin', 'billing', 'member'] as const).map(
    (role) => [t(`roles.${role}`), t(`organizations.rolesText.${role}`)] as const,
  ),
  [t('organizations.guest'), t('organizations.guestText')] as const,
];

export function OrganizationMembersPage() {
  const organization = useOrganization();
  return (
    <Page title={t('pages.members')} subtitle={t('organizations.peopleOf', { name: organization.name })}>
      <Section title={t('organizations.add')} text={t('members.addText')}>
        <AdminFieldset organization={organization}>
          <InviteToOrganization organizationId={organization.id} />
        </AdminFieldset>
      </Section>
      {/* Only admins can list members. */}
      {organization.role === 'admin' && (
        <>
          <Invitations organizationId={organization.id} />
          <Members organization={organization} />
        </>
      )}
      <Section title={t('members.rolesTitle')}>
        <RoleFacts roles={ROLES} />
      </Section>
      <Section
        title={t('members.membership')}
        text={t('organizations.membershipText', { role: rolesText(organization) })}
      >
        <LeaveButton
          label={t('organizations.leave')}
          text={t('organizations.leaveText')}
          leave={() => organizationLeave({ path: { organizationId: organization.id } })}
        />
      </Section>
    </Page>
  );
}

function InviteToOrganization({ organizationId }: { organizationId: string }) {
  const [roles, setRoles] = useState<Roles>({ role: 'member', projectRole: 'editor' });
  return (
    <InviteForm
      invite={async (email) =>
        (await organizationInvitationInvite({ path: { organizationId }, body: { email, ...roles } })).data
      }
      invalidates={REFRESHES}
    >
      <NativeSelect
        label={t('members.role')}
        value={roles.role}
        onChange={(event) => setRoles(rolesWith(roles, { role: event.currentTarget.value as Roles['role'] }))}
        data={ORGANIZATION_ROLE_OPTIONS}
      />
      {roles.role === 'member' && (
        <NativeSelect
          label={t('organizations.onAllProjects')}
          value={roles.projectRole ?? ''}
          onChange={(event) =>
            setRoles(
              rolesWith(roles, { projectRole: (event.currentTarget.value || null) as Roles['projectRole'] }),
            )
          }
          data={PROJECT_ROLE_OPTIONS}
        />
      )}
    </InviteForm>
  );
}

/** Pending invitations to the organization. */
function Invitations({ organizationId }: { organizationId: string }) {
  const path = { organizationId };
  const query = useInfiniteQuery({
    ...organizationInvitationListInfiniteOptions({ path, query: { limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <InvitationTable
      query={query}
      roleName={rolesText}
      resend={async ({ id }) =>
        (await organizationInvitationResend({ path: { ...path, invitationId: id } })).data
      }
      withdraw={({ id }) => organizationInvitationWithdraw({ path: { ...path, invitationId: id } })}
      invalidates={REFRESHES}
    />
  );
}

/** The members with their roles and second factor. */
function Members({ organization }: { organization: OrganizationResponse }) {
  const path = { organizationId: organization.id };
  const query = useInfiniteQuery({
    ...organizationMemberListInfiniteOptions({ path, query: { limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [leaving, setLeaving] = useState<OrganizationMemberResponse | null>(null);
  // Not in the rows, which are replaced where the window changes.
  const [lowered, setLowered] = useState<LoweredRoles | null>(null);
  const row = { ...path, onLower: setLowered };
  return (
    <>
      <InfiniteTable
        label={t('pages.members')}
        query={query}
        columns={memberColumns<OrganizationMemberResponse>({
          roles: [
            {
              title: t('members.role'),
              cell: (member) => <OrganizationRoleSelect {...row} member={member} />,
            },
            {
              title: t('organizations.onAllProjects'),
              cell: (member) => <ProjectRoleSelect {...row} member={member} />,
            },
          ],
          onRemove: setLeaving,
        })}
        phoneColumns={memberPhoneColumns<OrganizationMemberResponse>({
          role: (member) => <MemberRoles {...row} member={member} />,
          onRemove: setLeaving,
        })}
        rowKey={({ userId }) => userId}
        empty={t('members.none')}
      />
      {leaving && <RemoveMemberDialog {...path} member={leaving} onClose={() => setLeaving(null)} />}
      {lowered && <LowerRolesDialog {...path} {...lowered} onClose={() => setLowered(null)} />}
    </>
  );
}
