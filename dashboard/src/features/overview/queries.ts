import {
  analyticsDailyOptions,
  analyticsOverviewOptions,
  configurationReadOptions,
  consentListOptions,
  deliveryReadActivityOptions,
  forwardingReadOptions,
  deliveryUndeliveredCountOptions,
  tierReadOptions,
  visitLastSeenOptions,
} from '../../client/@tanstack/react-query.gen';
import { timeZoneName, type Zone } from '../../shared/time';

export const LAST_RECORDS = 8;

/**
 * The queries of the overview, all sent before the page is rendered, so that its layout does not
 * shift.
 */
export function overviewQueries(projectId: string, zone: Zone) {
  const path = { projectId };
  const timeZone = timeZoneName(zone);
  return {
    configuration: configurationReadOptions({ path }),
    records: consentListOptions({ path, query: { limit: LAST_RECORDS, withDelivery: true } }),
    forwarding: forwardingReadOptions({ path }),
    undelivered: deliveryUndeliveredCountOptions({ path }),
    activity: deliveryReadActivityOptions({ path, query: { timeZone } }),
    tier: tierReadOptions({ path }),
    figures: analyticsOverviewOptions({ path, query: { timeZone } }),
    daily: analyticsDailyOptions({ path, query: { timeZone } }),
    /** Asked for only as long as no record has arrived. */
    lastSeen: visitLastSeenOptions({ path }),
  };
}
