import { infiniteQueryOptions } from '@tanstack/react-query';
import { consentListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { dayRange, type Zone } from '../../shared/time';
import type { ConsentFilters } from './filters';

const PAGE_ROWS = 100;

/** The list that an address shows; asked for before the page is drawn, and by the page itself. */
export function consentPages(projectId: string, filters: ConsentFilters, zone: Zone) {
  const path = { projectId };
  return infiniteQueryOptions({
    ...consentListInfiniteOptions({
      path,
      query: { ...consentQuery(filters, zone), limit: PAGE_ROWS, withDelivery: true },
    }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** The API's query for the search parameters. */
export function consentQuery({ from, to, open: _open, ...rest }: ConsentFilters, zone: Zone) {
  return { ...rest, ...dayRange({ from, to }, zone) };
}
