import { infiniteQueryOptions } from '@tanstack/react-query';
import { projectStatusListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { timeZoneName, type Zone } from '../../shared/time';

/** The person's projects, 100 to a page. */
export function statusPages(zone: Zone) {
  return infiniteQueryOptions({
    ...projectStatusListInfiniteOptions({ query: { timeZone: timeZoneName(zone) } }),
    initialPageParam: {},
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}
