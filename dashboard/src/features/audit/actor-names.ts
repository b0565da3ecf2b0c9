import { useQuery } from '@tanstack/react-query';
import { apiKeyListOptions, memberListOptions } from '../../client/@tanstack/react-query.gen';
import { t } from '../../i18n/i18n';
import { useOrganizations } from '../organizations/organization-list';

/** One page of members; people beyond it are shown by id. */
const NAMES_MAX = 200;

/** One who may have made a change, or whom it was about. */
export interface Named {
  id: string;
  name: string;
}

/** The names in a log, which stores ids. */
export interface ActorNames {
  members: Named[];
  keys: Named[];
  of: Map<string, string>;
  /** Shown for changes of the project or organization itself. */
  subject: string;
}

/** The project's members and API keys, and the person's organizations. */
export function useProjectNames(projectId: string): ActorNames {
  const options = { path: { projectId }, query: { limit: NAMES_MAX } };
  const memberList = useQuery(memberListOptions(options)).data?.items ?? [];
  const keyList = useQuery(apiKeyListOptions(options)).data?.items ?? [];
  const organizations = useOrganizations();
  const members = memberList.map(({ userId, email }) => ({ id: userId, name: email }));
  const keys = keyList.map(({ id, name }) => ({ id, name }));
  const named = [...members, ...keys, ...organizations];
  return { members, keys, of: new Map(named.map(({ id, name }) => [id, name])), subject: t('audit.project') };
}
