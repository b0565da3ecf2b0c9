import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeyListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ApiKeyResponse } from '../../client/types.gen';
import { InfiniteTable } from '../../shared/infinite-table';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { RenameKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs';
import { type KeyAction, keyColumns, keyPhoneColumns } from './key-columns';

const DIALOGS = { rename: RenameKeyDialog, rotate: RotateKeyDialog, revoke: RevokeKeyDialog };

export function KeyList({ projectId }: { projectId: string }) {
  const path = { projectId };
  const { now } = useZone();
  const query = useInfiniteQuery({
    ...apiKeyListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [open, setOpen] = useState<{ action: KeyAction; key: ApiKeyResponse } | null>(null);
  const onAction = (action: KeyAction, key: ApiKeyResponse) => setOpen({ action, key });
  const Dialog = open && DIALOGS[open.action];
  return (
    <>
      <InfiniteTable
        label={t('pages.apiKeys')}
        query={query}
        columns={keyColumns(now, onAction)}
        phoneColumns={keyPhoneColumns(now, onAction)}
        rowKey={({ id }) => id}
        empty={t('apiKeys.none')}
      />
      {open && Dialog && <Dialog projectId={projectId} apiKey={open.key} onClose={() => setOpen(null)} />}
    </>
  );
}
