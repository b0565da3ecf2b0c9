import { NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invitationListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { invitationInvite, invitationResend, invitationWithdraw } from '../../client/sdk.gen';
import type { Role } from '../../shared/access';
import { t } from '../../i18n/i18n';
import { InvitationTable } from './invitation-table';
import { InviteForm } from './invite-form';
import { ROLE_OPTIONS } from './role-options';

const REFRESHES = ['invitationList'] as const;

export function InviteToProject({ projectId }: { projectId: string }) {
  const [role, setRole] = useState<Role>('viewer');
  return (
    <InviteForm
      invite={async (email) => (await invitationInvite({ path: { projectId }, body: { email, role } })).data}
      invalidates={REFRESHES}
    >
      <NativeSelect
        label={t('members.role')}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Role)}
        data={ROLE_OPTIONS}
      />
    </InviteForm>
  );
}

/** Who was invited to the project and has not come yet. */
export function InvitationList({ projectId }: { projectId: string }) {
  const path = { projectId };
  const query = useInfiniteQuery({
    ...invitationListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <InvitationTable
      query={query}
      roleName={({ role, transfersOwnership }) =>
        transfersOwnership ? t('members.ownerByTransfer') : t(`roles.${role}`)
      }
      resend={async ({ id }) => (await invitationResend({ path: { ...path, invitationId: id } })).data}
      withdraw={({ id }) => invitationWithdraw({ path: { ...path, invitationId: id } })}
      invalidates={REFRESHES}
    />
  );
}
