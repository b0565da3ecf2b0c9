import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { memberAdd, memberChangeRole } from '../../client/sdk.gen';
import type { MemberResponse, ProjectResponse } from '../../client/types.gen';
import { type Role, roleCovers } from '../../shared/access';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { ChangeRoleDialog } from './member-dialogs';
import { ROLE_OPTIONS } from './role-options';

/** Lowering a role is confirmed first, because keys are revoked with it. An owner is made by accepting an invitation. */
export function MemberRole({ project, member }: { project: ProjectResponse; member: MemberResponse }) {
  const [lower, setLower] = useState<Role | null>(null);
  const mutation = useApiMutation({
    request: async (role: Role) =>
      (await memberChangeRole({ path: { projectId: project.id, userId: member.userId }, body: { role } }))
        .data,
    successMessage: t('shared.saved'),
    invalidates: ['memberList', 'apiKeyList', 'projectRead', 'projectList'],
    onSuccess: () => setLower(null),
  });
  const offer = useApiMutation({
    request: async () =>
      (await memberAdd({ path: { projectId: project.id }, body: { email: member.email, role: 'owner' } }))
        .data,
    successMessage: t('members.ownerInvited', { email: member.email }),
    invalidates: ['invitationList'],
    notifiesError: true,
  });
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('members.roleOf', { email: member.email })}
        value={member.role}
        disabled={mutation.isPending || offer.isPending}
        onChange={(event) => {
          const role = event.currentTarget.value as Role;
          if (role === 'owner' && member.role !== 'owner') offer.mutate(undefined);
          else if (roleCovers(role, member.role)) mutation.mutate(role);
          else setLower(role);
        }}
        data={ROLE_OPTIONS}
      />
      {lower !== null && (
        <ChangeRoleDialog
          project={project}
          member={member}
          role={lower}
          isPending={mutation.isPending}
          error={mutation.error}
          onClose={() => setLower(null)}
          onConfirm={() => mutation.mutate(lower)}
        />
      )}
    </>
  );
}
