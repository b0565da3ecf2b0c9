import { Button, NativeSelect } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { memberListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { memberAdd, memberChangeRole } from '../../client/sdk.gen';
import type { MemberDto, ProjectDto } from '../../client/types.gen';
import { type Role, roleCovers } from '../../shared/allowed';
import { Clipped } from '../../shared/clipped';
import { type Column, EndlessList } from '../../shared/endless-list';
import { State } from '../../shared/state';
import { useAct } from '../../shared/use-act';
import { When } from '../../shared/when';
import { t } from '../../i18n/i18n';
import { LowerRole, Removal } from './member-dialogs';

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
    { title: t('members.name'), cell: ({ name }) => <Clipped text={name} /> },
    { title: t('signIn.email'), cell: ({ email }) => <Clipped text={email} /> },
    { title: t('members.role'), cell: (member) => <RoleOf project={project} member={member} /> },
    {
      title: t('account.secondFactor'),
      cell: ({ secondFactor }) => (
        <State is={secondFactor ? 'good' : 'waiting'}>
          {secondFactor ? t('members.secondFactorOn') : t('members.secondFactorOff')}
        </State>
      ),
    },
    { title: t('members.since'), cell: ({ createdAt }) => <When at={createdAt} /> },
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
    <>
      <EndlessList
        label={t('pages.members')}
        query={query}
        columns={columns}
        idOf={({ userId }) => userId}
        empty={t('members.none')}
      />
      {leaving && <Removal project={project} member={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

/** Lowering a role is confirmed first, because keys are revoked with it. An owner is made by accepting an invitation. */
function RoleOf({ project, member }: { project: ProjectDto; member: MemberDto }) {
  const [lower, setLower] = useState<Role | null>(null);
  const act = useAct({
    run: async (role: Role) =>
      (await memberChangeRole({ path: { projectId: project.id, userId: member.userId }, body: { role } }))
        .data,
    done: t('shared.saved'),
    refreshes: ['memberList', 'apiKeyList', 'projectRead', 'projectList'],
    then: () => setLower(null),
  });
  const offer = useAct({
    run: async () =>
      (await memberAdd({ path: { projectId: project.id }, body: { email: member.email, role: 'owner' } }))
        .data,
    done: t('members.ownerInvited', { email: member.email }),
    refreshes: ['invitationList'],
    tellsFailure: true,
  });
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('members.roleOf', { email: member.email })}
        value={member.role}
        disabled={act.pending || offer.pending}
        onChange={(event) => {
          const role = event.currentTarget.value as Role;
          if (role === 'owner' && member.role !== 'owner') offer.run(undefined);
          else if (roleCovers(role, member.role)) act.run(role);
          else setLower(role);
        }}
        data={ROLES}
      />
      {lower !== null && (
        <LowerRole
          project={project}
          member={member}
          role={lower}
          pending={act.pending}
          error={act.error}
          onClose={() => setLower(null)}
          onConfirm={() => act.run(lower)}
        />
      )}
    </>
  );
}
