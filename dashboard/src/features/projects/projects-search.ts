export const SORTS = ['health', 'name'] as const;
export type Sort = (typeof SORTS)[number];

export const PLANS = ['lite', 'pro', 'business', 'enterprise'] as const;
export const BANNERS = ['published', 'none', 'draft'] as const;
export type Banner = (typeof BANNERS)[number];

/** The search parameters of the list of projects. */
export interface ProjectsSearch {
  /** Part of a name or domain. */
  q?: string;
  /** Absent: by health. */
  sort?: 'name';
  /** Only projects that need attention. */
  attention?: true;
  /** Only projects on this plan. */
  plan?: (typeof PLANS)[number];
  /** Only projects with a published banner, without one, or with a draft that waits to be published. */
  banner?: Banner;
}

/** Reads the search of an address; unknown values are left out. */
export function projectsSearch(search: Record<string, unknown>): ProjectsSearch {
  const { q, sort, attention } = search;
  const plan = PLANS.find((each) => each === search['plan']);
  const banner = BANNERS.find((each) => each === search['banner']);
  return {
    ...(typeof q === 'string' && q.trim() !== '' && { q }),
    ...(sort === 'name' && { sort }),
    ...(attention === true && { attention }),
    ...(plan && { plan }),
    ...(banner && { banner }),
  };
}
