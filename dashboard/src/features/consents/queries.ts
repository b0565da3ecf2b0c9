import { infiniteQueryOptions } from '@tanstack/react-query';
import { consentListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { dayStart, type Zone } from '../../shared/time';
import type { ConsentFilters } from './filters';

const PAGE_ROWS = 100;

/** The list that an address shows; asked for before the page is drawn, and by the page itself. */
export function consentPages(projectId: string, filters: ConsentFilters, zone: Zone) {
  const path = { projectId };
  return infiniteQueryOptions({
    ...consentListInfiniteOptions({ path, query: { ...queryOf(filters, zone), limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** What the API is asked for, of what the address says. */
export function queryOf({ from, to, open: _open, ...rest }: ConsentFilters, zone: Zone) {
  const first = from === undefined ? null : dayStart(from, zone);
  const behind = to === undefined ? null : dayStart(to, zone, 1);
  return {
    ...rest,
    ...(first && { from: first.toISOString() }),
    ...(behind && { to: behind.toISOString() }),
  };
}
