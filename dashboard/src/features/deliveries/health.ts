import type { ForwardingSettingsResponse } from '../../client/types.gen';
import type { Status } from '../../shared/status-label';

/** What `healthOf` looks at. */
type Facts = Pick<
  ForwardingSettingsResponse,
  'available' | 'enabled' | 'lastFailure' | 'lastDeliveredAt' | 'state'
>;

/** The receiver's condition: the latest attempt decides, unless its records are held. */
export function endpointHealth({ available, enabled, lastFailure, lastDeliveredAt, state }: Facts): Status {
  if (!available || !enabled) return 'off';
  if (state === 'held') return 'bad';
  if (lastFailure && (lastDeliveredAt === null || lastFailure.at > lastDeliveredAt)) return 'bad';
  return lastDeliveredAt === null ? 'waiting' : 'good';
}
