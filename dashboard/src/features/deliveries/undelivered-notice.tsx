import { useQuery } from '@tanstack/react-query';
import { deliveryUndeliveredCountOptions } from '../../client/@tanstack/react-query.gen';
import { ButtonLink } from '../../shared/button-link';
import { Notice } from '../../shared/notice';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { undeliveredSentence } from './undelivered-sentence';

const LIVE_MS = 10_000;

/** How many records were not delivered, when and why; nothing if all were. Stays until they are resent. */
export function UndeliveredNotice({
  projectId,
  isReviewed = false,
}: {
  projectId: string;
  /** Whether the page already lists them. */
  isReviewed?: boolean;
}) {
  const path = { projectId };
  const { zone, now } = useZone();
  const { data } = useQuery({ ...deliveryUndeliveredCountOptions({ path }), refetchInterval: LIVE_MS });
  if (!data || data.records === 0) return null;
  const { records: count, more } = data;
  return (
    <Notice
      data-undelivered={count}
      action={
        !isReviewed && (
          <ButtonLink
            to="/projects/$projectId/deliveries"
            params={{ projectId }}
            search={{ status: 'failed' }}
          >
            {t('health.reviewAndResend')}
          </ButtonLink>
        )
      }
    >
      <b>{t(more ? 'health.undeliveredMore' : 'health.undelivered', { count })}</b>{' '}
      <span className="notice-reason">{undeliveredSentence(data, { zone, now })}</span>
    </Notice>
  );
}
