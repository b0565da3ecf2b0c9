import { ActionIcon, Menu } from '@mantine/core';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { lazy, Suspense, useState } from 'react';
import type { ProjectResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import type { Configuration } from './configuration';

const CopyDialog = lazy(async () => ({ default: (await import('./copy-dialog')).CopyDialog }));

/** Rarely used actions: copying the published banner to other projects. */
export function MoreActions(props: { project: ProjectResponse; content: Configuration }) {
  const [isCopying, setIsCopying] = useState(false);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label={t('banner.moreActions')}>
            <Ellipsis className="icon" aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setIsCopying(true)}>{t('banner.copy.open')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isCopying && (
        <Suspense>
          <CopyDialog {...props} onClose={() => setIsCopying(false)} />
        </Suspense>
      )}
    </>
  );
}
