import type { PublicationResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';

/** The publication's author. A plan or domain change publishes without one. */
export function authorName({ author }: PublicationResponse): string {
  return author ? (author.name ?? t('banner.formerMember')) : t('banner.system');
}
