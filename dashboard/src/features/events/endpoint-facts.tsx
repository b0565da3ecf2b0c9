import { Button, Group, Text } from '@mantine/core';
import { eventEndpointForgetFormerSecret } from '../../client/sdk.gen';
import type { EventEndpointResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import { formatNumber } from '../../shared/format';
import { Section } from '../../shared/section';
import { AbsoluteTime, RelativeTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import type { EndpointAction } from './endpoint-menu';
import { typeName } from './endpoint-state';

const WAITING_COUNTED_MAX = 1_000;

/** The last success, waiting events and since when attempts fail. */
export function EndpointFigures({ endpoint }: { endpoint: EventEndpointResponse }) {
  const { lastDeliveredAt, waiting, failingSince } = endpoint;
  return (
    <dl className="card endpoint-figures">
      <div>
        <dt>{t('events.lastDelivery')}</dt>
        <dd>{lastDeliveredAt ? <RelativeTime at={lastDeliveredAt} /> : t('events.neverDelivered')}</dd>
      </div>
      <div data-tone={waiting > 0 ? 'waiting' : undefined}>
        <dt>{t('events.waiting')}</dt>
        <dd>
          {waiting >= WAITING_COUNTED_MAX
            ? t('events.waitingMore', { count: waiting })
            : formatNumber(waiting)}
        </dd>
      </div>
      <div data-tone={failingSince === null ? undefined : 'bad'}>
        <dt>{t('events.failingSince')}</dt>
        <dd>{failingSince ? <RelativeTime at={failingSince} /> : t('events.notFailing')}</dd>
      </div>
    </dl>
  );
}

export function EndpointSettings({
  projectId,
  endpoint,
  disabled,
  onAction,
}: {
  projectId: string;
  endpoint: EventEndpointResponse;
  disabled: boolean;
  onAction: (action: EndpointAction) => void;
}) {
  const { url, description, eventTypes, keepResponseBodies, createdAt, id } = endpoint;
  return (
    <Section
      title={t('events.settings')}
      aside={
        <Button variant="default" disabled={disabled} onClick={() => onAction('edit')}>
          {t('events.edit')}
        </Button>
      }
    >
      <dl className="facts endpoint-settings">
        <dt>{t('events.url')}</dt>
        <dd>{url}</dd>
        <dt>{t('events.description')}</dt>
        <dd>{description === '' ? '–' : <VisibleText text={description} />}</dd>
        <dt>{t('events.types')}</dt>
        <dd>
          <ul className="endpoint-types">
            {eventTypes.map((type) => (
              <li key={type} className="chip mono" title={typeName(type)}>
                {type}
              </li>
            ))}
          </ul>
        </dd>
        <dt>{t('events.secret')}</dt>
        <dd>
          <SigningSecret projectId={projectId} endpoint={endpoint} disabled={disabled} onAction={onAction} />
        </dd>
        <dt>{t('events.keepBodies')}</dt>
        <dd>{keepResponseBodies ? t('list.yes') : t('list.no')}</dd>
        <dt>{t('apiKeys.created')}</dt>
        <dd>
          <AbsoluteTime at={createdAt} />
        </dd>
        <dt>ID</dt>
        <dd>
          <CopyId id={id} whole />
        </dd>
      </dl>
    </Section>
  );
}

function SigningSecret({
  projectId,
  endpoint,
  disabled,
  onAction,
}: {
  projectId: string;
  endpoint: EventEndpointResponse;
  disabled: boolean;
  onAction: (action: EndpointAction) => void;
}) {
  const retire = useApiMutation({
    request: async () =>
      (await eventEndpointForgetFormerSecret({ path: { projectId, endpointId: endpoint.id } })).data,
    successMessage: t('events.secretRetired'),
    invalidates: ['eventEndpointRead'],
    notifiesError: true,
  });
  return (
    <Group gap="xs">
      <Button size="compact-xs" variant="default" disabled={disabled} onClick={() => onAction('rotate')}>
        {t('events.rotate')}
      </Button>
      {endpoint.formerSecretValidUntil && (
        <>
          <Text>
            {t('events.secretUntil')} <AbsoluteTime at={endpoint.formerSecretValidUntil} />.
          </Text>
          <Button
            size="compact-xs"
            variant="default"
            disabled={disabled}
            loading={retire.isPending}
            onClick={() => retire.mutate(undefined)}
          >
            {t('events.retireSecret')}
          </Button>
        </>
      )}
    </Group>
  );
}
