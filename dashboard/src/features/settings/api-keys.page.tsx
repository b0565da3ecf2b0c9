import { ActionIcon, Menu } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeyListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ApiKeyDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { type Column, InfiniteTable } from '../../shared/infinite-table';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { StatusLabel } from '../../shared/status-label';
import { RelativeTime } from '../../shared/timestamps';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { RenameKeyDialog, RevokeKeyDialog, RotateKeyDialog } from './key-dialogs';
import { keyState } from './key-state';
import { CreateKeyForm } from './create-key-form';

export function ApiKeysPage() {
  const project = useProject();
  const refusal = checkAccess(project, { role: 'owner' });
  return (
    <Page title={t('pages.apiKeys')}>
      <Section title={t('apiKeys.create')} text={t('apiKeys.createText')}>
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <CreateKeyForm projectId={project.id} />
        </AccessFieldset>
      </Section>
      {/* Which keys there are is an owner's to read. */}
      {refusal === null && <KeyList projectId={project.id} />}
    </Page>
  );
}

type KeyAction = 'rename' | 'rotate' | 'revoke';
const DIALOGS = { rename: RenameKeyDialog, rotate: RotateKeyDialog, revoke: RevokeKeyDialog };

function KeyList({ projectId }: { projectId: string }) {
  const path = { projectId };
  const { now } = useZone();
  const query = useInfiniteQuery({
    ...apiKeyListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [open, setOpen] = useState<{ action: KeyAction; key: ApiKeyDto } | null>(null);
  const Dialog = open && DIALOGS[open.action];
  const columns: Column<ApiKeyDto>[] = [
    {
      title: t('apiKeys.name'),
      cell: ({ name }) => (
        <span className="sentence-cell short" title={name}>
          {name}
        </span>
      ),
    },
    { title: t('apiKeys.prefix'), cell: ({ prefix }) => <span className="mono">{prefix}…</span> },
    { title: t('members.role'), cell: ({ role }) => t(`roles.${role}`) },
    {
      title: t('apiKeys.access'),
      cell: (key) => (
        <span className="sentence-cell short" title={mayOf(key)}>
          {mayOf(key)}
        </span>
      ),
    },
    {
      title: t('apiKeys.lastUsed'),
      cell: ({ lastUsedOn }) => <Day day={lastUsedOn} none={t('apiKeys.never')} />,
    },
    {
      title: t('apiKeys.status'),
      cell: (key) => {
        const state = keyState(key, now);
        return (
          <StatusLabel status={state === 'active' ? 'good' : 'off'}>
            {t(`apiKeys.statuses.${state}`)}
            {state === 'active' && key.expiresAt !== null && (
              <>
                , {t('apiKeys.expires')} <RelativeTime at={key.expiresAt} />
              </>
            )}
          </StatusLabel>
        );
      },
    },
    {
      title: t('shared.actions'),
      cell: (key) =>
        keyState(key, now) === 'active' && (
          <Menu position="bottom-end">
            <Menu.Target>
              <ActionIcon
                size="sm"
                variant="subtle"
                color="gray"
                aria-label={t('apiKeys.actionsFor', { name: key.name })}
              >
                <span aria-hidden>⋯</span>
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Label>
                {t('apiKeys.created')} <RelativeTime at={key.createdAt} />
              </Menu.Label>
              {(['rename', 'rotate', 'revoke'] as const).map((action) => (
                <Menu.Item
                  key={action}
                  {...(action === 'revoke' && { color: 'red' })}
                  onClick={() => setOpen({ action: action, key })}
                >
                  {t(`apiKeys.actions.${action}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        ),
    },
  ];
  return (
    <>
      <InfiniteTable
        label={t('pages.apiKeys')}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        empty={t('apiKeys.none')}
      />
      {open && Dialog && <Dialog projectId={projectId} apiKey={open.key} onClose={() => setOpen(null)} />}
    </>
  );
}

/** What the key may, beside its role. */
function mayOf({ limitedTo, scopes }: ApiKeyDto): string {
  const parts =
    limitedTo === null ? [t('apiKeys.fullAccess')] : limitedTo.map((area) => t(`apiKeys.areas.${area}`));
  return [...parts, ...scopes.map((scope) => t(`apiKeys.scopes.${scope}`))].join(', ');
}

/** A day in UTC, which is all that is kept of it. */
function Day({ day, none }: { day: string | null; none: string }) {
  if (day === null) return <>{none}</>;
  const text = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(day),
  );
  return (
    <time dateTime={day} title={`${day} (UTC)`}>
      {text}
    </time>
  );
}
