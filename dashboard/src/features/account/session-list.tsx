import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { sessionListOptions } from '../../client/@tanstack/react-query.gen';
import { sessionEnd, sessionEndOthers } from '../../client/sdk.gen';
import type { OwnSessionDto } from '../../client/types.gen';
import { type Column, SkeletonRows } from '../../shared/endless-list';
import { PlainList } from '../../shared/plain-list';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { When } from '../../shared/when';
import { t } from '../../i18n/i18n';

/** Where the person is signed in; each can be ended but the one that looks, which has "Sign out". */
export function SessionList() {
  const query = useQuery(sessionListOptions());
  const end = useAct({
    run: ({ id }: OwnSessionDto) => sessionEnd({ path: { sessionId: id } }),
    done: t('account.signedOut'),
    refreshes: ['sessionList'],
    tellsFailure: true,
  });
  const endOthers = useAct({
    run: () => sessionEndOthers(),
    done: t('account.signedOutOthers'),
    refreshes: ['sessionList'],
    tellsFailure: true,
  });
  const deviceOf = ({ device }: OwnSessionDto): string => device ?? t('account.unknownDevice');
  const columns: Column<OwnSessionDto>[] = [
    { title: t('account.device'), cell: deviceOf },
    { title: t('account.signedInAt'), cell: ({ createdAt }) => <When at={createdAt} /> },
    { title: t('account.lastUsed'), cell: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : '–') },
    {
      title: t('account.signOut'),
      cell: (session) =>
        session.current ? (
          <Text span>{t('account.currentSession')}</Text>
        ) : (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t('account.signOutDevice', { device: deviceOf(session) })}
            loading={end.pending}
            onClick={() => end.run(session)}
          >
            {t('account.signOut')}
          </Button>
        ),
    },
  ];
  if (!query.data) return query.isPending ? <SkeletonRows rows={3} /> : <ProblemAlert error={query.error} />;
  const { items } = query.data;
  return (
    <Stack gap="sm">
      <PlainList label={t('account.sessions')} items={items} columns={columns} idOf={({ id }) => id} />
      <div>
        <Button
          variant="default"
          disabled={items.length < 2}
          loading={endOthers.pending}
          onClick={() => endOthers.run(undefined)}
        >
          {t('account.signOutOthers')}
        </Button>
      </div>
    </Stack>
  );
}
