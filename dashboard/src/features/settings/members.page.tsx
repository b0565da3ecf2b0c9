import { Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { authSessionOptions, memberListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { memberChangeRole, memberRemove } from '../../client/sdk.gen';
import type { MemberDto, ProjectDto } from '../../client/types.gen';
import { Allowed, refusalOf, type Role } from '../../shared/allowed';
import { type Column, EndlessList } from '../../shared/endless-list';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useAct } from '../../shared/use-act';
import { When } from '../../shared/when';
import { t } from '../../texts/texts';
import { useProject } from '../projects/use-project';
import { InvitationList, InviteForm } from './invitations';

const ROLES = (['viewer', 'editor', 'owner'] as const).map((value) => ({ value, label: t.roles[value] }));

export function MembersPage() {
  const project = useProject();
  const refusal = refusalOf(project, { role: 'owner' });
  return (
    <Page title={t.pages.members}>
      <Section title={t.members.add} text={t.members.addText}>
        <Allowed refusal={refusal} projectId={project.id}>
          <InviteForm projectId={project.id} />
        </Allowed>
      </Section>
      {/* Who else is here is an owner's to read. */}
      {refusal === null && (
        <>
          <InvitationList projectId={project.id} />
          <MemberList project={project} />
        </>
      )}
      <Section title={t.members.rolesTitle}>
        <dl className="facts">
          {(['viewer', 'editor', 'owner'] as const).map((role) => (
            <div key={role} style={{ display: 'contents' }}>
              <dt>{t.roles[role]}</dt>
              <dd>{t.members.rolesText[role]}</dd>
            </div>
          ))}
        </dl>
      </Section>
    </Page>
  );
}

function MemberList({ project }: { project: ProjectDto }) {
  const path = { projectId: project.id };
  const query = useInfiniteQuery({
    ...memberListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [leaving, setLeaving] = useState<MemberDto | null>(null);
  const columns: Column<MemberDto>[] = [
    { title: t.members.name, cell: ({ name }) => name },
    { title: t.signIn.email, cell: ({ email }) => email },
    { title: t.members.role, cell: (member) => <RoleOf project={project} member={member} /> },
    { title: t.members.since, cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      title: t.shared.acts,
      cell: (member) => (
        <Button
          size="compact-xs"
          variant="subtle"
          color="red"
          aria-label={t.members.removeOf(member.email)}
          onClick={() => setLeaving(member)}
        >
          {t.members.remove}
        </Button>
      ),
    },
  ];
  return (
    <>
      <EndlessList
        label={t.pages.members}
        query={query}
        columns={columns}
        idOf={({ userId }) => userId}
        empty={t.members.none}
      />
      {leaving && <Removal project={project} member={leaving} onClose={() => setLeaving(null)} />}
    </>
  );
}

function RoleOf({ project, member }: { project: ProjectDto; member: MemberDto }) {
  const act = useAct({
    run: async (role: Role) =>
      (await memberChangeRole({ path: { projectId: project.id, userId: member.userId }, body: { role } }))
        .data,
    done: t.shared.saved,
    refreshes: ['memberList', 'projectRead', 'projectList'],
    tellsFailure: true,
  });
  return (
    <NativeSelect
      size="xs"
      aria-label={t.members.roleOf(member.email)}
      value={member.role}
      disabled={act.pending}
      onChange={(event) => act.run(event.currentTarget.value as Role)}
      data={ROLES}
    />
  );
}

function Removal({
  project,
  member,
  onClose,
}: {
  project: ProjectDto;
  member: MemberDto;
  onClose: () => void;
}) {
  const { data: session } = useQuery(authSessionOptions());
  const self = session?.user.id === member.userId;
  const act = useAct({
    run: async () => (await memberRemove({ path: { projectId: project.id, userId: member.userId } })).data,
    done: t.members.removed(member.email),
    refreshes: ['memberList', 'apiKeyList', 'projectList'],
    then: () => (self ? location.assign('/') : onClose()),
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t.members.removeOf(member.email)}
      closeButtonProps={{ 'aria-label': t.shared.close }}
    >
      <Stack gap="sm">
        <Text>{self ? t.members.removeSelfText : t.members.removeText}</Text>
        <ProblemAlert error={act.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t.shared.cancel}
          </Button>
          <Button color="red" loading={act.pending} onClick={() => act.run(undefined)}>
            {t.members.remove}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
