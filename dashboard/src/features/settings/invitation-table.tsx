import type { Operation } from '../../api/query-client';
import { InfiniteTable } from '../../shared/infinite-table';
import type { ListQuery } from '../../shared/list-query';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { invitationColumns, invitationPhoneColumns, type ListedInvitation } from './invitation-columns';

/** Pending invitations, each of which can be resent and withdrawn. */
export function InvitationTable<I extends ListedInvitation>(props: {
  query: ListQuery<I>;
  roleName: (invitation: I) => string;
  resend: (invitation: I) => Promise<{ email: string }>;
  withdraw: (invitation: I) => Promise<unknown>;
  invalidates: readonly Operation[];
}) {
  const { query, roleName, invalidates } = props;
  const resend = useApiMutation({
    request: props.resend,
    successMessage: ({ email }) => t('members.invited', { email }),
    invalidates,
    notifiesError: true,
  });
  const withdraw = useApiMutation({
    request: props.withdraw,
    successMessage: t('members.withdrawn'),
    invalidates,
    notifiesError: true,
  });
  const options = { roleName, actions: { resend: resend.mutate, withdraw: withdraw.mutate } };
  return (
    <Section title={t('members.pending')}>
      <InfiniteTable
        label={t('members.pending')}
        query={query}
        columns={invitationColumns<I>(options)}
        phoneColumns={invitationPhoneColumns<I>(options)}
        rowKey={({ id }) => id}
        empty={t('members.nonePending')}
      />
    </Section>
  );
}
