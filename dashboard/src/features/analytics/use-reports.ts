import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { consentAnalyticsOptions, visitSiteOptions } from '../../client/@tanstack/react-query.gen';
import type { AnalyticsResponse, SiteAnalyticsResponse } from '../../client/types.gen';
import { useZone } from '../../shared/zone';
import { period, type Span } from './period';
import type { Range } from './range';

export interface ConsentReports {
  current: AnalyticsResponse;
  former: AnalyticsResponse;
}

export interface SiteReports {
  current: SiteAnalyticsResponse;
  former: SiteAnalyticsResponse;
  /** This period without its running hour, as long as `former`. */
  finished: SiteAnalyticsResponse;
}

/** The counts of a range of days and of the one before it, up to the same elapsed time. */
export function useReports(projectId: string, days: Range, enabled: boolean) {
  const { now: clock } = useZone();
  const { now, before, finishedHours, interval } = period(days, clock);
  const options = { enabled, placeholderData: keepPreviousData };
  const of = (span: Span) => ({ path: { projectId }, query: { ...span, interval } });
  const current = useQuery({ ...consentAnalyticsOptions(of(now)), ...options });
  const former = useQuery({ ...consentAnalyticsOptions(of(before)), ...options });
  const site = useQuery({ ...visitSiteOptions(of(now)), ...options });
  const formerSite = useQuery({ ...visitSiteOptions(of(finishedHours.before)), ...options });
  const finishedSite = useQuery({ ...visitSiteOptions(of(finishedHours.now)), ...options });
  const consents: ConsentReports | null =
    current.data && former.data ? { current: current.data, former: former.data } : null;
  const visits: SiteReports | null =
    site.data && formerSite.data && finishedSite.data
      ? { current: site.data, former: formerSite.data, finished: finishedSite.data }
      : null;
  return {
    consents,
    visits,
    failed: [current, former, site, formerSite, finishedSite].find(({ isError }) => isError),
  };
}
