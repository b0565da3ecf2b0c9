import { Button } from '@mantine/core';
import type { MemberResponse, ProjectResponse } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { StatusLabel } from '../../shared/status-label';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { t } from '../../i18n/i18n';
import { MemberRole } from './member-role';

type OnRemove = (member: MemberResponse) => void;

export function memberColumns(project: ProjectResponse, onRemove: OnRemove): Column<MemberResponse>[] {
  return [
    { title: t('members.name'), cell: ({ name }) => <TruncatedText text={name} /> },
    { title: t('signIn.email'), cell: ({ email }) => <TruncatedText text={email} /> },
    { title: t('members.role'), cell: (member) => <MemberRole project={project} member={member} /> },
    { title: t('members.secondFactor'), cell: (member) => <SecondFactor member={member} /> },
    { title: t('members.since'), cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { title: t('shared.actions'), cell: (member) => <RemoveButton member={member} onRemove={onRemove} /> },
  ];
}

/** The same members in two lines: who, with or without 2FA, and as what. */
export function memberPhoneColumns(project: ProjectResponse, onRemove: OnRemove): Column<MemberResponse>[] {
  return [
    {
      title: t('members.name'),
      flexible: true,
      cell: (member) => (
        <>
          <TruncatedText text={member.name} />
          <small>{member.email}</small>
        </>
      ),
    },
    {
      title: t('members.role'),
      numeric: true,
      cell: (member) => (
        <>
          <MemberRole project={project} member={member} />
          <RemoveButton member={member} onRemove={onRemove} size="compact-sm" />
        </>
      ),
    },
  ];
}

function SecondFactor({ member: { secondFactor } }: { member: MemberResponse }) {
  return (
    <StatusLabel status={secondFactor ? 'good' : 'waiting'}>
      {secondFactor ? t('members.secondFactorOn') : t('members.secondFactorOff')}
    </StatusLabel>
  );
}

function RemoveButton({
  member,
  onRemove,
  size = 'compact-xs',
}: {
  member: MemberResponse;
  onRemove: OnRemove;
  size?: 'compact-xs' | 'compact-sm';
}) {
  return (
    <Button
      size={size}
      variant="subtle"
      color="red"
      aria-label={t('members.removeMember', { email: member.email })}
      onClick={() => onRemove(member)}
    >
      {t('members.remove')}
    </Button>
  );
}
