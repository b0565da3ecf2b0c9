import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { personalTokenListOptions } from '../../client/@tanstack/react-query.gen';
import { personalTokenRevoke } from '../../client/sdk.gen';
import type { PersonalTokenResponse } from '../../client/types.gen';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { CopyableCode } from '../../shared/copyable-code';
import { DataTable } from '../../shared/data-table';
import { Day } from '../../shared/day';
import type { Column } from '../../shared/infinite-table';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** The personal tokens of the command line; each can be revoked. */
export function TokenList() {
  const query = useQuery(personalTokenListOptions());
  const [revoked, setRevoked] = useState<PersonalTokenResponse | null>(null);
  const revoke = useApiMutation({
    request: ({ id }: PersonalTokenResponse) => personalTokenRevoke({ path: { tokenId: id } }),
    successMessage: t('account.tokenRevoked'),
    invalidates: ['personalTokenList'],
    onSuccess: () => setRevoked(null),
  });
  const revokeOf = (token: PersonalTokenResponse) => (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={t('account.revokeToken', { name: token.name })}
      onClick={() => {
        revoke.reset();
        setRevoked(token);
      }}
    >
      {t('account.revoke')}
    </Button>
  );
  const columns: Column<PersonalTokenResponse>[] = [
    { title: t('account.machine'), flexible: true, cell: ({ name }) => <TruncatedText text={name} /> },
    { title: t('account.signedInAt'), cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
    {
      title: t('account.lastUsed'),
      cell: ({ lastUsedOn }) => <Day day={lastUsedOn} none={t('account.notUsedYet')} />,
    },
    { title: t('account.expires'), cell: ({ expiresAt }) => <RelativeTime at={expiresAt} /> },
    { title: t('account.revoke'), cell: revokeOf },
  ];
  const phoneColumns: Column<PersonalTokenResponse>[] = [
    {
      title: t('account.machine'),
      flexible: true,
      cell: ({ name, expiresAt }) => (
        <>
          <TruncatedText text={name} />
          <small>
            {t('account.expires')} <RelativeTime at={expiresAt} />
          </small>
        </>
      ),
    },
    { title: t('account.revoke'), numeric: true, cell: revokeOf },
  ];
  if (!query.data) return query.isPending ? <SkeletonRows rows={2} /> : <ProblemAlert error={query.error} />;
  const { items } = query.data;
  if (items.length === 0)
    return (
      <>
        <Text>{t('account.noTokens')}</Text>
        <CopyableCode label={t('account.command')} text={`consent login --url ${location.origin}`} />
      </>
    );
  return (
    <Stack gap="sm">
      <DataTable
        label={t('account.tokens')}
        items={items}
        columns={columns}
        phoneColumns={phoneColumns}
        rowKey={({ id }) => id}
      />
      {revoked && (
        <ConfirmDialog
          title={t('account.revokeToken', { name: revoked.name })}
          confirmLabel={t('account.revoke')}
          isPending={revoke.isPending}
          error={revoke.error}
          onClose={() => setRevoked(null)}
          onConfirm={() => revoke.mutate(revoked)}
        >
          <Text>{t('account.revokeTokenText')}</Text>
        </ConfirmDialog>
      )}
    </Stack>
  );
}
