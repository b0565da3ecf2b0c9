import { queryOptions } from '@tanstack/react-query';
import { projectListOptions } from '../client/@tanstack/react-query.gen';
import { projectList } from '../client/sdk.gen';

/** The API's largest page. */
const PAGE_MAX = 200;
const FIRST_PAGE = projectListOptions({ query: { limit: PAGE_MAX } });

/** All projects of the person: for an agency, more than one page. */
export const PROJECT_LIST = queryOptions({
  ...FIRST_PAGE,
  queryFn: async ({ signal }) => {
    let { data } = await projectList({ query: { limit: PAGE_MAX }, signal });
    const { items, withheld } = data;
    while (data.nextCursor !== null) {
      ({ data } = await projectList({ query: { limit: PAGE_MAX, cursor: data.nextCursor }, signal }));
      items.push(...data.items);
      withheld.push(...data.withheld);
    }
    return { items, withheld, nextCursor: null };
  },
});
