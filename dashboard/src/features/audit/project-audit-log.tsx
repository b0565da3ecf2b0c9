import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { auditListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { auditList } from '../../client/sdk.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { useZone } from '../../shared/zone';
import { useProjectNames } from './actor-names';
import { AUDIT_ROWS, AuditLog, auditQuery } from './audit-log';
import { PROJECT_ACTIONS } from './log-actions';

const route = getRouteApi('/signed-in/projects/$projectId/settings/audit');

export function ProjectAuditLog({ project }: { project: ProjectResponse }) {
  const path = { projectId: project.id };
  const filters = route.useSearch();
  const { zone } = useZone();
  const query = useInfiniteQuery({
    ...auditListInfiniteOptions({ path, query: { ...auditQuery(filters, zone), limit: AUDIT_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <AuditLog
      filters={filters}
      actions={PROJECT_ACTIONS}
      names={useProjectNames(project.id)}
      query={query}
      readChanges={async (moment) =>
        (await auditList({ path, query: { ...moment, limit: AUDIT_ROWS } })).data.items
      }
      exportPath={`/v1/projects/${project.id}/audit/export`}
    />
  );
}
