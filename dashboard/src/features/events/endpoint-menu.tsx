import { ActionIcon, Menu } from '@mantine/core';
import type { EventEndpointResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { DeleteDialog, DisableDialog, EnableDialog, RecoverDialog, RotateDialog } from './endpoint-dialogs';
import { ChangeEndpointDialog } from './endpoint-form';
import { shortUrl } from './endpoint-state';

export const ENDPOINT_DIALOGS = {
  edit: ChangeEndpointDialog,
  rotate: RotateDialog,
  enable: EnableDialog,
  disable: DisableDialog,
  recover: RecoverDialog,
  delete: DeleteDialog,
};
export type EndpointAction = keyof typeof ENDPOINT_DIALOGS;

/** What can be done with an endpoint, beside the buttons of its page. */
export function EndpointMenu({
  endpoint,
  disabled,
  onAction,
}: {
  endpoint: EventEndpointResponse;
  disabled: boolean;
  onAction: (action: EndpointAction) => void;
}) {
  const actions = endpoint.enabled
    ? (['edit', 'rotate', 'recover', 'disable', 'delete'] as const)
    : (['edit', 'rotate', 'enable', 'delete'] as const);
  return (
    <Menu position="bottom-end" disabled={disabled}>
      <Menu.Target>
        <ActionIcon
          size={32}
          variant="default"
          disabled={disabled}
          aria-label={t('events.actionsOf', { host: shortUrl(endpoint.url) })}
        >
          <span aria-hidden>⋯</span>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Menu.Item
            key={action}
            {...(action === 'delete' && { color: 'red' })}
            onClick={() => onAction(action)}
          >
            {t(`events.${action}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
