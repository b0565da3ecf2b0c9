import type { ProjectStatusResponse } from '../../client/types.gen';
import { searchWords } from '../../shared/search-words';
import type { ProjectsSearch, Sort } from './projects-search';

/** A loader that was seen, and then not for this long, is taken for lost. */
const LOST_AFTER_MS = 2 * 24 * 60 * 60 * 1_000;

type Facts = Pick<ProjectStatusResponse, 'endpoint' | 'undelivered' | 'publishedAt' | 'lastSeenAt'>;

/** Whether the loader is on the site: seen lately, seen once but not lately, or never. */
export function installation(
  { lastSeenAt }: Pick<Facts, 'lastSeenAt'>,
  now: Date,
): 'seen' | 'lost' | 'never' {
  if (lastSeenAt === null) return 'never';
  return now.getTime() - Date.parse(lastSeenAt) > LOST_AFTER_MS ? 'lost' : 'seen';
}

/** How urgent a project is: 0 where nothing has to be done. */
export function urgency(project: Facts, now: Date): number {
  const { state } = project.endpoint;
  if (state === 'failing' || state === 'held') return 4;
  if (project.undelivered.records > 0) return 3;
  if (installation(project, now) === 'lost') return 2;
  return project.publishedAt === null || project.lastSeenAt === null ? 1 : 0;
}

/** Whether something that worked does no longer; an unfinished setup is not that. */
export const needsAttention = (project: Facts, now: Date): boolean => urgency(project, now) > 1;

/** The problems of projects that need attention, each counted for its most urgent reason. */
export function attentionReasons(
  projects: readonly Facts[],
  now: Date,
): { endpoints: number; undelivered: number; loaders: number } {
  const count = (level: number): number => projects.filter((each) => urgency(each, now) === level).length;
  return { endpoints: count(4), undelivered: count(3), loaders: count(2) };
}

/** The projects that an address asks for, in its order. */
export function selectProjects<P extends Facts & Pick<ProjectStatusResponse, 'name' | 'domains' | 'tier'>>(
  projects: readonly P[],
  { q = '', sort = 'health', attention, plan, banner }: Omit<ProjectsSearch, 'sort'> & { sort?: Sort },
  now: Date,
): P[] {
  const matches = searchWords(q);
  return projects
    .filter(
      (project) =>
        matches(project.name, ...project.domains) &&
        (!attention || needsAttention(project, now)) &&
        (plan === undefined || project.tier === plan) &&
        (banner === undefined || (banner === 'published') === (project.publishedAt !== null)),
    )
    .toSorted(
      (a, b) =>
        (sort === 'health' ? urgency(b, now) - urgency(a, now) : 0) ||
        a.name.localeCompare(b.name, undefined, { numeric: true }),
    );
}
