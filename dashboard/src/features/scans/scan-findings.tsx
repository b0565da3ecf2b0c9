import { Button, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { findingOfScanInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { findingReopen } from '../../client/sdk.gen';
import type { FindingResponse, ProjectResponse, ScanDetailsResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ListEnd } from '../../shared/list-end';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { AcceptDialog } from './accept-dialog';
import { FindingGroup } from './finding-group';
import { FindingsSummary } from './findings-summary';
import { groupFindings } from './group-findings';
import { isRunning } from './scan-status';

const PAGE_ROWS = 50;
const LIVE_MS = 2_000;
/** For so long after a scan its findings may still be missing. */
const EVALUATION_MS = 20_000;

/** The findings of a scan, the most certain first, under their numbers. */
export function ScanFindings({ project, scan }: { project: ProjectResponse; scan: ScanDetailsResponse }) {
  const path = { projectId: project.id, scanId: scan.id };
  const [accepting, setAccepting] = useState<FindingResponse[] | null>(null);
  const query = useInfiniteQuery({
    ...findingOfScanInfiniteOptions({ path, query: { limit: PAGE_ROWS } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
    enabled: !isRunning(scan),
    refetchInterval: ({ state }) =>
      state.data?.pages[0]?.items.length === 0 && isFresh(scan) ? LIVE_MS : false,
  });
  const reopen = useApiMutation({
    request: async (findingId: string) =>
      (await findingReopen({ path: { projectId: project.id, findingId } })).data,
    invalidates: ['findingOfScan', 'findingList'],
    notifiesError: true,
  });
  if (isRunning(scan)) return <Text c="dimmed">{t('findings.afterScan')}</Text>;
  const refusal = checkAccess(project, { role: 'editor' });
  const findings = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const summary = query.data?.pages[0]?.summary;
  return (
    <>
      {summary && <FindingsSummary summary={summary} />}
      <Text c="dimmed">{t('findings.text')}</Text>
      <AccessNote refusal={refusal} projectId={project.id} what={t('findings.accept')} />
      {findings.length > 0 && (
        <div className="finding-list" role="group" aria-label={t('findings.title')}>
          {groupFindings(findings).map((group) => (
            <FindingGroup
              key={group[0]?.id}
              findings={group}
              actions={{
                disabled: refusal !== null,
                accept: setAccepting,
                reopen: ({ id }) => reopen.mutate(id),
              }}
            />
          ))}
        </div>
      )}
      <ListEnd
        query={query}
        empty={<Text c="dimmed">{t('findings.none')}</Text>}
        count={findings.length}
        lastPage={query.data?.pages.at(-1)}
      />
      {query.hasNextPage && !query.isFetchingNextPage && (
        <Button variant="default" onClick={() => void query.fetchNextPage()}>
          {t('findings.more')}
        </Button>
      )}
      {accepting && (
        <AcceptDialog projectId={project.id} findings={accepting} onClose={() => setAccepting(null)} />
      )}
    </>
  );
}

function isFresh({ endedAt }: ScanDetailsResponse): boolean {
  return endedAt !== null && Date.now() - Date.parse(endedAt) < EVALUATION_MS;
}
