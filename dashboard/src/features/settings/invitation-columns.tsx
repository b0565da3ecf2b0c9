import { Button, Group } from '@mantine/core';
import type { InvitationResponse } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { t } from '../../i18n/i18n';

interface Actions {
  resend: (invitation: InvitationResponse) => void;
  withdraw: (invitation: InvitationResponse) => void;
}

export const invitationColumns = (actions: Actions): Column<InvitationResponse>[] => [
  { title: t('signIn.email'), cell: ({ email }) => <TruncatedText text={email} /> },
  { title: t('members.role'), cell: roleName },
  { title: t('members.sent'), cell: ({ sentAt }) => <RelativeTime at={sentAt} /> },
  { title: t('members.expires'), cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
  {
    title: t('shared.actions'),
    cell: (invitation) => <InvitationActions invitation={invitation} actions={actions} />,
  },
];

/** The same invitations in two lines: to whom, and as what. */
export const invitationPhoneColumns = (actions: Actions): Column<InvitationResponse>[] => [
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
    cell: (invitation) => <InvitationActions invitation={invitation} actions={actions} />,
  },
];

const roleName = ({ role, transfersOwnership }: InvitationResponse): string =>
  transfersOwnership ? t('members.ownerByTransfer') : t(`roles.${role}`);

function InvitationActions({ invitation, actions }: { invitation: InvitationResponse; actions: Actions }) {
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
