import { useQuery } from '@tanstack/react-query';
import { apiKeyListOptions, memberListOptions } from '../../client/@tanstack/react-query.gen';

/** One page of members; people beyond it are shown by id. */
const NAMES_MAX = 200;

/** One who may have made a change, or whom it was about. */
export interface Named {
  id: string;
  name: string;
}

/** The project's members and API keys, which the log names by their ids. */
export function useActorNames(projectId: string): {
  members: Named[];
  keys: Named[];
  of: Map<string, string>;
} {
  const options = { path: { projectId }, query: { limit: NAMES_MAX } };
  const memberList = useQuery(memberListOptions(options)).data?.items ?? [];
  const keyList = useQuery(apiKeyListOptions(options)).data?.items ?? [];
  const members = memberList.map(({ userId, email }) => ({ id: userId, name: email }));
  const keys = keyList.map(({ id, name }) => ({ id, name }));
  return { members, keys, of: new Map([...members, ...keys].map(({ id, name }) => [id, name])) };
}
