import { Button, Group } from '@mantine/core';
import type { InvitationResponse } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { t } from '../../i18n/i18n';

export type ListedInvitation = Pick<InvitationResponse, 'id' | 'email' | 'sentAt' | 'expiresAt'>;

interface InvitationActions<I> {
  resend: (invitation: I) => void;
  withdraw: (invitation: I) => void;
}

interface Options<I> {
  roleName: (invitation: I) => string;
  actions: InvitationActions<I>;
}

export const invitationColumns = <I extends ListedInvitation>({
  roleName,
  actions,
}: Options<I>): Column<I>[] => [
  { title: t('signIn.email'), cell: ({ email }) => <TruncatedText text={email} /> },
  { title: t('members.role'), cell: roleName },
  { title: t('members.sent'), cell: ({ sentAt }) => <RelativeTime at={sentAt} /> },
  { title: t('members.expires'), cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
  {
    title: t('shared.actions'),
    cell: (invitation) => <ActionButtons invitation={invitation} actions={actions} />,
  },
];

/** The same invitations in two lines: to whom, and as what. */
export const invitationPhoneColumns = <I extends ListedInvitation>({
  roleName,
  actions,
}: Options<I>): Column<I>[] => [
  {
    title: t('signIn.email'),
    flexible: true,
    cell: (invitation) => (
      <>
        <TruncatedText text={invitation.email} />
        <small>{roleName(invitation)}</small>
      </>
    ),
  },
  {
    title: t('shared.actions'),
    numeric: true,
    cell: (invitation) => <ActionButtons invitation={invitation} actions={actions} />,
  },
];

function ActionButtons<I extends ListedInvitation>({
  invitation,
  actions,
}: {
  invitation: I;
  actions: InvitationActions<I>;
}) {
  const { email } = invitation;
  return (
    <Group gap={4} wrap="nowrap" display="inline-flex">
      <Button
        size="compact-xs"
        variant="subtle"
        aria-label={t('members.resendTo', { email })}
        onClick={() => actions.resend(invitation)}
      >
        {t('deliveries.resend')}
      </Button>
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        aria-label={t('members.withdrawFor', { email })}
        onClick={() => actions.withdraw(invitation)}
      >
        {t('members.withdraw')}
      </Button>
    </Group>
  );
}
