import { ActionIcon, Menu, type MenuItemProps } from '@mantine/core';
import { createLink } from '@tanstack/react-router';
import Ellipsis from 'lucide-react/icons/ellipsis';
import { lazy, Suspense, useState } from 'react';
import type { ProjectResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import type { Configuration } from './configuration';

const CopyDialog = lazy(async () => ({ default: (await import('../projects/dialogs')).CopyDialog }));

const ItemLink = createLink((props: MenuItemProps) => <Menu.Item component="a" {...props} />);

interface MoreActionsProps {
  project: ProjectResponse;
  /** The published banner, to be copied to other projects; null: it cannot be. */
  content: Configuration | null;
  /** Whether the history is here, too: a phone has no room for its button. */
  hasHistory: boolean;
  /** As above; null: there is no draft. */
  onDiscard: (() => void) | null;
}

/** Rarely used actions. */
export function MoreActions({ project, content, hasHistory, onDiscard }: MoreActionsProps) {
  const [isCopying, setIsCopying] = useState(false);
  if (!content && !hasHistory && !onDiscard) return null;
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={32} aria-label={t('banner.moreActions')}>
            <Ellipsis className="icon" aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {hasHistory && (
            <ItemLink
              to="/projects/$projectId/banner"
              params={{ projectId: project.id }}
              search={{ view: 'history' }}
            >
              {t('banner.history')}
            </ItemLink>
          )}
          {content && <Menu.Item onClick={() => setIsCopying(true)}>{t('banner.copy.open')}</Menu.Item>}
          {onDiscard && <Menu.Item onClick={onDiscard}>{t('banner.discardDraft')}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {isCopying && content && (
        <Suspense>
          <CopyDialog project={project} content={content} onClose={() => setIsCopying(false)} />
        </Suspense>
      )}
    </>
  );
}
