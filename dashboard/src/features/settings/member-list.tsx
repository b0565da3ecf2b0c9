import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { memberListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { memberAdd, memberChangeRole } from '../../client/sdk.gen';
import type { MemberDto, ProjectDto } from '../../client/types.gen';
import { type Role, roleCovers } from '../../shared/access';
import { TruncatedText } from '../../shared/truncated-text';
import { type Column, InfiniteTable } from '../../shared/infinite-table';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { ChangeRoleDialog, RemoveMemberDialog } from './member-dialogs';

const ROLES = (['viewer', 'editor', 'owner'] as const).map((value) => ({
  value,
  label: t(`roles.${value}`),
}));

/** Who is here, as what, and whether with a second factor. */
export function MemberList({ project }: { project: ProjectDto }) {
  const path = { projectId: project.id };
  const query = useInfiniteQuery({
    ...memberListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [leaving, setLeaving] = useState<MemberDto | null>(null);
  const columns: Column<MemberDto>[] = [
    { title: t('members.name'), cell: ({ name }) => <TruncatedText text={name} /> },
    { title: t('signIn.email'), cell: ({ email }) => <TruncatedText text={email} /> },
    { title: t('members.role'), cell: (member) => <RoleOf project={project} member={member} /> },
    {
      title: t('members.secondFactor'),
      cell: ({ secondFactor }) => (
        <StatusLabel status={secondFactor ? 'good' : 'waiting'}>
          {secondFactor ? t('members.secondFactorOn') : t('members.secondFactorOff')}
        </StatusLabel>
      ),
    },
    { title: t('members.since'), cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    {
      title: t('shared.actions'),
      cell: (member) => (
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          aria-label={t('members.removeMember', { email: member.email })}
          onClick={() => setLeaving(member)}
        >
          {t('members.remove')}
        </Button>
      ),
    },
  ];
  return (
    <div className="member-list">
      <InfiniteTable
        label={t('pages.members')}
        query={query}
        columns={columns}
        rowKey={({ userId }) => userId}
        empty={t('members.none')}
      />
      {leaving && <RemoveMemberDialog project={project} member={leaving} onClose={() => setLeaving(null)} />}
    </div>
  );
}

/** Lowering a role is confirmed first, because keys are revoked with it. An owner is made by accepting an invitation. */
function RoleOf({ project, member }: { project: ProjectDto; member: MemberDto }) {
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
        data={ROLES}
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
