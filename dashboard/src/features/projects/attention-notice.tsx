import type { ProjectStatusResponse, WithheldProjectResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { Notice } from '../../shared/notice';
import { locale, t } from '../../i18n/i18n';
import { ATTENTION_REASONS, attentionReason } from './project-health';
import type { ProjectsSearch } from './projects-search';

/** How many projects need attention, and why; nothing where none does. */
export function AttentionNotice(props: {
  projects: readonly ProjectStatusResponse[];
  search: ProjectsSearch;
  now: Date;
}) {
  const { projects, search, now } = props;
  const found = projects.map((project) => attentionReason(project, now));
  const count = found.filter((reason) => reason !== undefined).length;
  if (count === 0) return null;
  const reasons = ATTENTION_REASONS.filter((reason) => found.includes(reason)).map((reason) =>
    t(`projects.reasons.${reason}`, { count: found.filter((each) => each === reason).length }),
  );
  const { attention: _, ...others } = search;
  return (
    <Notice
      action={
        <ButtonLink to="." search={search.attention ? others : { ...search, attention: true }}>
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
