import type { ProjectStatusResponse } from '../../client/types.gen';
import { searchWords } from '../../shared/search-words';
import type { Banner, ProjectsSearch, Sort } from './projects-search';

/** A loader that was seen, and then not for this long, is taken for lost. */
const LOST_AFTER_MS = 2 * 24 * 60 * 60 * 1_000;

type Facts = Pick<
  ProjectStatusResponse,
  'endpoint' | 'undelivered' | 'publishedAt' | 'draftSavedAt' | 'lastSeenAt'
>;

/** Whether the loader is on the site: seen lately, seen once but not lately, or never. */
export function installation(
  { lastSeenAt }: Pick<Facts, 'lastSeenAt'>,
  now: Date,
): 'seen' | 'lost' | 'never' {
  if (lastSeenAt === null) return 'never';
  return now.getTime() - Date.parse(lastSeenAt) > LOST_AFTER_MS ? 'lost' : 'seen';
}

/** The reasons why a project needs attention, the most urgent first. */
const REASONS = {
  endpoints: ({ endpoint: { state } }: Facts) => state === 'failing' || state === 'held',
  undelivered: ({ undelivered }: Facts) => undelivered.records > 0,
  loaders: (project: Facts, now: Date) => installation(project, now) === 'lost',
  unpublished: ({ publishedAt }: Facts) => publishedAt === null,
  uninstalled: (project: Facts, now: Date) => installation(project, now) === 'never',
};

export type AttentionReason = keyof typeof REASONS;
export const ATTENTION_REASONS = Object.keys(REASONS) as AttentionReason[];

/** The most urgent reason why a project needs attention; undefined: it works. */
export const attentionReason = (project: Facts, now: Date): AttentionReason | undefined =>
  ATTENTION_REASONS.find((reason) => REASONS[reason](project, now));

/** The place of a project in the list: working projects come last. */
function healthRank(project: Facts, now: Date): number {
  const reason = attentionReason(project, now);
  return reason ? ATTENTION_REASONS.indexOf(reason) : ATTENTION_REASONS.length;
}

const HAS_BANNER: Record<Banner, (project: Facts) => boolean> = {
  published: ({ publishedAt }) => publishedAt !== null,
  none: ({ publishedAt }) => publishedAt === null,
  draft: ({ draftSavedAt }) => draftSavedAt !== null,
};

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
        (!attention || attentionReason(project, now) !== undefined) &&
        (plan === undefined || project.tier === plan) &&
        (banner === undefined || HAS_BANNER[banner](project)),
    )
    .toSorted(
      (a, b) =>
        (sort === 'health' ? healthRank(a, now) - healthRank(b, now) : 0) ||
        a.name.localeCompare(b.name, undefined, { numeric: true }),
    );
}
