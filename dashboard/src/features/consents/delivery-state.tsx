import type { ConsentResponse } from '../../client/types.gen';
import { NoValue } from '../../shared/no-value';
import { type Status, StatusLabel } from '../../shared/status-label';
import { t } from '../../i18n/i18n';

type State = NonNullable<ConsentResponse['deliveryState']>;

const STATUS: Record<State, Status> = {
  delivered: 'good',
  failed: 'bad',
  pending: 'waiting',
  skipped: 'off',
  unsent: 'off',
};

/** The delivery state of a record, in a word; a dash if the log no longer holds an attempt. */
export function DeliveryStateLabel({ state }: { state: State | null }) {
  if (state === null) return <NoValue reason={t('deliveries.logExpired')} />;
  return <StatusLabel status={STATUS[state]}>{t(`consents.deliveryWords.${state}`)}</StatusLabel>;
}
