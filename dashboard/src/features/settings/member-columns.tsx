import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MemberResponse } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { StatusLabel } from '../../shared/status-label';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { t } from '../../i18n/i18n';

type ListedMember = Pick<MemberResponse, 'userId' | 'name' | 'email' | 'secondFactor' | 'createdAt'>;

interface Options<M> {
  onRemove: (member: M) => void;
}

/** The members of a project or an organization, with the columns of their roles. */
export function memberColumns<M extends ListedMember>({
  roles,
  onRemove,
}: Options<M> & { roles: Column<M>[] }): Column<M>[] {
  return [
    { title: t('members.name'), cell: ({ name }) => <TruncatedText text={name} /> },
    { title: t('signIn.email'), cell: ({ email }) => <TruncatedText text={email} /> },
    ...roles,
    { title: t('members.secondFactor'), cell: (member) => <SecondFactor member={member} /> },
    { title: t('members.since'), cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    { title: t('shared.actions'), cell: (member) => <RemoveButton member={member} onRemove={onRemove} /> },
  ];
}

/** The same members in two lines: who, with or without 2FA, and as what. */
export function memberPhoneColumns<M extends ListedMember>({
  role,
  onRemove,
}: Options<M> & { role: (member: M) => ReactNode }): Column<M>[] {
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
          {role(member)}
          <RemoveButton member={member} onRemove={onRemove} size="compact-sm" />
        </>
      ),
    },
  ];
}

function SecondFactor({ member: { secondFactor } }: { member: ListedMember }) {
  return (
    <StatusLabel status={secondFactor ? 'good' : 'waiting'}>
      {secondFactor ? t('members.secondFactorOn') : t('members.secondFactorOff')}
    </StatusLabel>
  );
}

function RemoveButton<M extends ListedMember>({
  member,
  onRemove,
  size = 'compact-xs',
}: Options<M> & { member: M; size?: 'compact-xs' | 'compact-sm' }) {
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
