import type { ProjectStatusResponse } from '../../client/types.gen';
import { StatusLabel } from '../../shared/status-label';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';

/** Whether a project's banner is published, and whether a draft waits to be. */
export function BannerState(props: Pick<ProjectStatusResponse, 'publishedAt' | 'draftSavedAt'>) {
  const { publishedAt, draftSavedAt } = props;
  if (draftSavedAt !== null)
    return (
      <span className="pill">
        {t('projects.draft')} · <RelativeTime at={draftSavedAt} />
      </span>
    );
  if (publishedAt === null) return <StatusLabel status="waiting">{t('projects.notPublished')}</StatusLabel>;
  return (
    <span>
      {t('projects.published')} <RelativeTime at={publishedAt} />
    </span>
  );
}
