import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { authSessionOptions, memberKeysOfOptions } from '../../client/@tanstack/react-query.gen';
import { memberRemove } from '../../client/sdk.gen';
import type { MemberDto, ProjectDto } from '../../client/types.gen';
import { type Role, roleCovers } from '../../shared/allowed';
import { SkeletonRows } from '../../shared/endless-list';
import { ProblemAlert } from '../../shared/problem-alert';
import { Question } from '../../shared/question';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';

interface MemberDialog {
  project: ProjectDto;
  member: MemberDto;
  onClose: () => void;
}

/** Removes a member from the project, with their API keys. */
export function Removal({ project, member, onClose }: MemberDialog) {
  const { data: session } = useQuery(authSessionOptions());
  const self = session?.user.id === member.userId;
  const act = useAct({
    run: async () => (await memberRemove({ path: { projectId: project.id, userId: member.userId } })).data,
    done: t('members.removed', { email: member.email }),
    refreshes: ['memberList', 'apiKeyList', 'projectList'],
    then: () => (self ? location.assign('/') : onClose()),
  });
  return (
    <Question
      title={t('members.removeMember', { email: member.email })}
      act={t('members.remove')}
      pending={act.pending}
      error={act.error}
      onClose={onClose}
      onConfirm={() => act.run(undefined)}
    >
      <Text>{self ? t('members.removeSelfText') : t('members.removeText')}</Text>
      <KeysThatGo project={project} member={member} role={null} />
    </Question>
  );
}

/** Confirms that a member loses permissions. */
export function LowerRole({
  project,
  member,
  role,
  ...rest
}: MemberDialog & { role: Role; pending: boolean; error: unknown; onConfirm: () => void }) {
  return (
    <Question
      title={t('members.changeRoleOf', { email: member.email, role: t(`roles.${role}`) })}
      act={t('members.changeRole', { role: t(`roles.${role}`) })}
      {...rest}
    >
      <Text>{t('members.fewerPermissions')}</Text>
      <KeysThatGo project={project} member={member} role={role} />
    </Question>
  );
}

/** The member's keys, or former secrets of keys, with a higher role than the one they keep; null: they keep none. */
function KeysThatGo({
  project,
  member,
  role,
}: {
  project: ProjectDto;
  member: MemberDto;
  role: Role | null;
}) {
  const query = useQuery(memberKeysOfOptions({ path: { projectId: project.id, userId: member.userId } }));
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={1} />;
  const going = query.data.items.filter((key) => role === null || !roleCovers(role, key.role));
  if (going.length === 0) return <Text c="dimmed">{t('members.noKeysRevoked')}</Text>;
  return (
    <div>
      <Text>{t('members.keysRevoked')}</Text>
      <List size="sm">
        {going.map(({ id, name, prefix, secret }) => (
          <List.Item key={id}>
            {name}{' '}
            {secret === 'current' ? <span className="mono">{prefix}…</span> : t('members.oldSecretOnly')}
          </List.Item>
        ))}
      </List>
    </div>
  );
}
