import { Button } from '@mantine/core';
import { eventEndpointResume } from '../../client/sdk.gen';
import type { EventEndpointResponse } from '../../client/types.gen';
import { Notice } from '../../shared/notice';
import { AbsoluteTime, Countdown } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { heldSentence, waitingSentence } from './endpoint-state';

/** Why an endpoint gets no events, and what helps; nothing where it does. */
export function EndpointNotice({
  projectId,
  endpoint,
  disabled,
  onEnable,
}: {
  projectId: string;
  endpoint: EventEndpointResponse;
  disabled: boolean;
  onEnable: () => void;
}) {
  const resume = useApiMutation({
    request: async () => (await eventEndpointResume({ path: { projectId, endpointId: endpoint.id } })).data,
    successMessage: t('events.trying'),
    invalidates: ['eventEndpointRead', 'eventEndpointDeliveries'],
    notifiesError: true,
  });
  const { state, disabledReason, heldSince, nextProbeAt, waiting } = endpoint;
  if (disabledReason !== null)
    return (
      <Notice
        action={
          <Button variant="default" disabled={disabled} onClick={onEnable}>
            {t('events.enable')}
          </Button>
        }
      >
        <b>{t('events.disabled')}</b>{' '}
        <span className="notice-reason">{t(`events.disabledText.${disabledReason}`)}</span>
      </Notice>
    );
  if (state !== 'held') return null;
  return (
    <Notice
      action={
        <Button
          variant="default"
          disabled={disabled}
          loading={resume.isPending}
          onClick={() => resume.mutate(undefined)}
        >
          {t('events.tryNow')}
        </Button>
      }
    >
      <b>
        {t('events.held')} {heldSince && <AbsoluteTime at={heldSince} />}. {heldSentence(endpoint)}
      </b>{' '}
      <span className="notice-reason">
        {waiting > 0 && `${waitingSentence(waiting)}. `}
        {nextProbeAt && (
          <>
            {t('events.nextAttempt')}: <Countdown at={nextProbeAt} />.
          </>
        )}
      </span>
    </Notice>
  );
}
