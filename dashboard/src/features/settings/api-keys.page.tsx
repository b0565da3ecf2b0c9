import { ActionIcon, Menu } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiKeyListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { ApiKeyDto } from '../../client/types.gen';
import { Allowed, refusalOf } from '../../shared/allowed';
import { type Column, EndlessList } from '../../shared/endless-list';
import { Page } from '../../shared/page';
import { Section } from '../../shared/section';
import { State } from '../../shared/state';
import { When } from '../../shared/when';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { Renaming, Revocation, Rotation } from './change-key';
import { keyState } from './key-state';
import { MakeKey } from './make-key';

export function ApiKeysPage() {
  const project = useProject();
  const refusal = refusalOf(project, { role: 'owner' });
  return (
    <Page title={t('pages.apiKeys')}>
      <Section title={t('apiKeys.create')} text={t('apiKeys.createText')}>
        <Allowed refusal={refusal} projectId={project.id}>
          <MakeKey projectId={project.id} />
        </Allowed>
      </Section>
      {/* Which keys there are is an owner's to read. */}
      {refusal === null && <KeyList projectId={project.id} />}
    </Page>
  );
}

type Act = 'rename' | 'rotate' | 'revoke';
const DIALOGS = { rename: Renaming, rotate: Rotation, revoke: Revocation };

function KeyList({ projectId }: { projectId: string }) {
  const path = { projectId };
  const { now } = useZone();
  const query = useInfiniteQuery({
    ...apiKeyListInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const [open, setOpen] = useState<{ act: Act; key: ApiKeyDto } | null>(null);
  const Dialog = open && DIALOGS[open.act];
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
          <State is={state === 'active' ? 'good' : 'off'}>
            {t(`apiKeys.statuses.${state}`)}
            {state === 'active' && key.expiresAt !== null && (
              <>
                , {t('apiKeys.expires')} <When at={key.expiresAt} />
              </>
            )}
          </State>
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
                {t('apiKeys.created')} <When at={key.createdAt} />
              </Menu.Label>
              {(['rename', 'rotate', 'revoke'] as const).map((act) => (
                <Menu.Item
                  key={act}
                  {...(act === 'revoke' && { color: 'red' })}
                  onClick={() => setOpen({ act, key })}
                >
                  {t(`apiKeys.actions.${act}`)}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        ),
    },
  ];
  return (
    <>
      <EndlessList
        label={t('pages.apiKeys')}
        query={query}
        columns={columns}
        idOf={({ id }) => id}
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
