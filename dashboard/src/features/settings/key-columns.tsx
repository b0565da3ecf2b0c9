import { ActionIcon, Menu } from '@mantine/core';
import type { ApiKeyResponse } from '../../client/types.gen';
import { Day } from '../../shared/day';
import type { Column } from '../../shared/infinite-table';
import { StatusLabel } from '../../shared/status-label';
import { TruncatedText } from '../../shared/truncated-text';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { keyState } from './key-state';

const KEY_ACTIONS = ['rename', 'rotate', 'revoke'] as const;
export type KeyAction = (typeof KEY_ACTIONS)[number];

type OnKeyAction = (action: KeyAction, key: ApiKeyResponse) => void;

export function keyColumns(now: Date, onAction: OnKeyAction): Column<ApiKeyResponse>[] {
  return [
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
        <span className="sentence-cell short" title={accessText(key)}>
          {accessText(key)}
        </span>
      ),
    },
    {
      title: t('apiKeys.lastUsed'),
      cell: ({ lastUsedOn }) => <Day day={lastUsedOn} none={t('apiKeys.never')} />,
    },
    {
      title: t('apiKeys.status'),
      cell: (key) => <KeyStatus apiKey={key} now={now} />,
    },
    {
      title: t('shared.actions'),
      cell: (key) => keyState(key, now) === 'active' && <KeyMenu apiKey={key} onAction={onAction} />,
    },
  ];
}

/** The same keys in two lines: name and role, status and actions. */
export function keyPhoneColumns(now: Date, onAction: OnKeyAction): Column<ApiKeyResponse>[] {
  return [
    {
      title: t('apiKeys.name'),
      flexible: true,
      cell: (key) => (
        <>
          <TruncatedText text={key.name} />
          <small>{[t(`roles.${key.role}`), accessText(key)].join(' · ')}</small>
        </>
      ),
    },
    {
      title: t('apiKeys.status'),
      numeric: true,
      cell: (key) => (
        <>
          <StatusLabel status={keyState(key, now) === 'active' ? 'good' : 'off'}>
            {t(`apiKeys.statuses.${keyState(key, now)}`)}
          </StatusLabel>{' '}
          {keyState(key, now) === 'active' && <KeyMenu apiKey={key} onAction={onAction} />}
          <small>
            <Day day={key.lastUsedOn} none={t('apiKeys.never')} />
          </small>
        </>
      ),
    },
  ];
}

function KeyStatus({ apiKey: key, now }: { apiKey: ApiKeyResponse; now: Date }) {
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
}

function KeyMenu({ apiKey, onAction }: { apiKey: ApiKeyResponse; onAction: OnKeyAction }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          size="sm"
          variant="subtle"
          color="gray"
          aria-label={t('apiKeys.actionsFor', { name: apiKey.name })}
        >
          <span aria-hidden>⋯</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {t('apiKeys.created')} <RelativeTime at={apiKey.createdAt} />
        </Menu.Label>
        {KEY_ACTIONS.map((action) => (
          <Menu.Item
            key={action}
            {...(action === 'revoke' && { color: 'red' })}
            onClick={() => onAction(action, apiKey)}
          >
            {t(`apiKeys.actions.${action}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The key's permissions besides its role. */
function accessText({ limitedTo, scopes }: ApiKeyResponse): string {
  const parts =
    limitedTo === null ? [t('apiKeys.fullAccess')] : limitedTo.map((area) => t(`apiKeys.areas.${area}`));
  return [...parts, ...scopes.map((scope) => t(`apiKeys.scopes.${scope}`))].join(', ');
}
