import type { ForwardingSettingsDto } from '../../client/types.gen';
import type { Condition } from '../../shared/state';

/** What `healthOf` looks at. */
type Facts = Pick<
  ForwardingSettingsDto,
  'available' | 'enabled' | 'lastFailure' | 'lastDeliveredAt' | 'state'
>;

/** The receiver's condition: the latest attempt decides, unless its records are held. */
export function healthOf({ available, enabled, lastFailure, lastDeliveredAt, state }: Facts): Condition {
  if (!available || !enabled) return 'off';
  if (state === 'held') return 'bad';
  if (lastFailure && (lastDeliveredAt === null || lastFailure.at > lastDeliveredAt)) return 'bad';
  return lastDeliveredAt === null ? 'waiting' : 'good';
}
