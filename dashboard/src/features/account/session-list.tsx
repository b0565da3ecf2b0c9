import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionListOptions } from '../../client/@tanstack/react-query.gen';
import { sessionEnd, sessionEndOthers } from '../../client/sdk.gen';
import type { OwnSessionResponse } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { DataTable } from '../../shared/data-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { NoValue } from '../../shared/no-value';
import { t } from '../../i18n/i18n';

/** Where the person is signed in; each can be ended but the one that looks, which has "Sign out". */
export function SessionList() {
  const query = useQuery(sessionListOptions());
  const end = useApiMutation({
    request: ({ id }: OwnSessionResponse) => sessionEnd({ path: { sessionId: id } }),
    successMessage: t('account.signedOut'),
    invalidates: ['sessionList'],
    notifiesError: true,
  });
  const endOthers = useApiMutation({
    request: () => sessionEndOthers(),
    successMessage: t('account.signedOutOthers'),
    invalidates: ['sessionList'],
    notifiesError: true,
  });
  const deviceOf = ({ device }: OwnSessionResponse): string => device ?? t('account.unknownDevice');
  const signOutOf = (session: OwnSessionResponse) =>
    session.current ? (
      <Text span>{t('account.currentSession')}</Text>
    ) : (
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('account.signOutDevice', { device: deviceOf(session) })}
        loading={end.isPending}
        onClick={() => end.mutate(session)}
      >
        {t('account.signOut')}
      </Button>
    );
  const columns: Column<OwnSessionResponse>[] = [
    { title: t('account.device'), cell: deviceOf },
    { title: t('account.signedInAt'), cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    {
      title: t('account.lastUsed'),
      cell: ({ lastUsedAt }) =>
        lastUsedAt ? <RelativeTime at={lastUsedAt} /> : <NoValue reason={t('account.notUsedYet')} />,
    },
    { title: t('account.signOut'), cell: signOutOf },
  ];
  /** In two lines: the device with its last use, and how to sign it out. */
  const phoneColumns: Column<OwnSessionResponse>[] = [
    {
      title: t('account.device'),
      flexible: true,
      cell: (session) => (
        <>
          <TruncatedText text={deviceOf(session)} />
          <small>
            <RelativeTime at={session.lastUsedAt ?? session.createdAt} />
          </small>
        </>
      ),
    },
    { title: t('account.signOut'), numeric: true, cell: signOutOf },
  ];
  if (!query.data) return query.isPending ? <SkeletonRows rows={3} /> : <ProblemAlert error={query.error} />;
  const { items } = query.data;
  return (
    <Stack gap="sm">
      <DataTable
        label={t('account.sessions')}
        items={items}
        columns={columns}
        phoneColumns={phoneColumns}
        rowKey={({ id }) => id}
      />
      <div>
        <Button
          variant="default"
          disabled={items.length < 2}
          loading={endOthers.isPending}
          onClick={() => endOthers.mutate(undefined)}
        >
          {t('account.signOutOthers')}
        </Button>
      </div>
    </Stack>
  );
}
