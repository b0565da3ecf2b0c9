import type { ProjectStatusResponse, WithheldProjectResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { Notice } from '../../shared/notice';
import { locale, t } from '../../i18n/i18n';
import { attentionReasons } from './project-health';
import type { ProjectsSearch } from './projects-search';

/** How many projects need attention, and why; nothing where none does. */
export function AttentionNotice(props: {
  projects: readonly ProjectStatusResponse[];
  search: ProjectsSearch;
  now: Date;
}) {
  const { projects, search, now } = props;
  const { endpoints, undelivered, loaders } = attentionReasons(projects, now);
  const count = endpoints + undelivered + loaders;
  if (count === 0) return null;
  const reasons = [
    endpoints > 0 && t('projects.reasons.endpoints', { count: endpoints }),
    undelivered > 0 && t('projects.reasons.undelivered', { count: undelivered }),
    loaders > 0 && t('projects.reasons.loaders', { count: loaders }),
  ].filter((reason) => reason !== false);
  const { attention: _, ...others } = search;
  return (
    <Notice
      action={
        <ButtonLink to="/projects" search={search.attention ? others : { ...search, attention: true }}>
          {search.attention ? t('projects.showAll') : t('projects.showAttention')}
        </ButtonLink>
      }
    >
      <b>{t('projects.attention', { count })}</b>{' '}
      <span className="notice-reason">{new Intl.ListFormat(locale, { type: 'unit' }).format(reasons)}.</span>
    </Notice>
  );
}

/** The projects that the person may open only after turning on two-factor authentication. */
export function WithheldNotice({ projects }: { projects: readonly WithheldProjectResponse[] }) {
  if (projects.length === 0) return null;
  const names = new Intl.ListFormat(locale, { type: 'conjunction' }).format(projects.map(({ name }) => name));
  return (
    <Notice action={<ButtonLink to="/account">{t('projects.setUpFactor')}</ButtonLink>}>
      {t('projects.withheld', { count: projects.length, names })}
    </Notice>
  );
}
