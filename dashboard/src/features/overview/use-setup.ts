import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { ProjectResponse } from '../../client/types.gen';
import { useZone } from '../../shared/zone';
import { isPublished } from '../banner/configuration';
import { overviewQueries } from './queries';

const LIVE_MS = 3_000;
/** The first record shows within 2 s of its 201. */
const RECORDS_LIVE_MS = 1_000;

export type SetupStepName = 'domains' | 'publish' | 'install' | 'record' | 'forward';

export interface SetupStep {
  name: SetupStepName;
  done: boolean;
  to: Extract<LinkProps['to'], `/projects/$projectId/${string}`>;
}

/** The steps until records arrive and are forwarded, as far as the plan includes it; undefined until they are known. */
export function useSetup(project: ProjectResponse): SetupStep[] | undefined {
  const { zone } = useZone();
  const live = { refetchInterval: LIVE_MS };
  const queries = overviewQueries(project.id, zone);
  const configuration = useQuery({ ...queries.configuration, ...live }).data;
  const records = useQuery({ ...queries.records, refetchInterval: RECORDS_LIVE_MS }).data;
  const forwarding = useQuery({ ...queries.forwarding, ...live }).data;
  const hasRecord = (records?.items.length ?? 0) > 0;
  const seen = useQuery({ ...queries.lastSeen, ...live, enabled: records !== undefined && !hasRecord }).data;
  if (!configuration || !records || !forwarding || !(hasRecord || seen)) return undefined;
  const hasBanner = isPublished(configuration);
  return [
    { name: 'domains', done: project.domains.length > 0, to: '/projects/$projectId/settings/project' },
    { name: 'publish', done: hasBanner, to: '/projects/$projectId/banner' },
    {
      name: 'install',
      done: hasBanner && (hasRecord || (seen?.items.length ?? 0) > 0),
      to: '/projects/$projectId/install',
    },
    { name: 'record', done: hasRecord, to: '/projects/$projectId/install' },
    ...(forwarding.available
      ? [
          {
            name: 'forward' as const,
            done: forwarding.lastDeliveredAt !== null,
            to: '/projects/$projectId/settings/consent/records-and-archive' as const,
          },
        ]
      : []),
  ];
}
