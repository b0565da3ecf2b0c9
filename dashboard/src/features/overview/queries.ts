import {
  analyticsOverviewOptions,
  configurationReadOptions,
  consentListOptions,
  forwardingReadOptions,
  visitLastSeenOptions,
} from '../../client/@tanstack/react-query.gen';
import type { Zone } from '../../shared/time';

export const LAST_RECORDS = 10;

/** What the overview shows; it is all asked for at once, before the page is drawn, so that nothing in it jumps. */
export function overviewQueries(projectId: string, zone: Zone) {
  const path = { projectId };
  const timeZone = zone === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
  return {
    configuration: configurationReadOptions({ path }),
    records: consentListOptions({ path, query: { limit: LAST_RECORDS } }),
    forwarding: forwardingReadOptions({ path }),
    figures: analyticsOverviewOptions({ path, query: { timeZone } }),
    /** Asked for only as long as no record has arrived. */
    lastSeen: visitLastSeenOptions({ path }),
  };
}
