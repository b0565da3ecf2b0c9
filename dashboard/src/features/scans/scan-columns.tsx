import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { scanReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ScanResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import type { Column } from '../../shared/infinite-table';
import { NoValue } from '../../shared/no-value';
import { shortDay } from '../../shared/time';
import { RelativeTime } from '../../shared/timestamps';
import { useProject } from '../../shared/use-project';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { ScanChange } from './scan-change';
import { progressOf } from './scan-progress';
import { isRunning, QueuePlace } from './scan-status';
import { Verdict, verdictOf } from './verdict';

const LIVE_MS = 2_000;

export function scanColumns(): Column<ScanResponse>[] {
  return [
    { title: t('scans.result'), cell: (scan) => <Result scan={scan} /> },
    { title: t('scans.counts.arguable'), numeric: true, cell: ({ result }) => count(result?.arguable) },
    { title: t('scans.counts.open'), numeric: true, cell: ({ result }) => count(result?.open) },
    { title: t('scans.since'), flexible: true, cell: (scan) => <Since scan={scan} /> },
    { title: t('scans.views.pages'), numeric: true, cell: pagesIn },
    { title: t('scans.origin'), cell: ({ origin }) => t(`scans.origins.${origin}`) },
    { title: t('scans.when'), numeric: true, cell: when },
  ];
}

/** The same scans in two lines: the result with what changed, and when. */
export function scanPhoneColumns(): Column<ScanResponse>[] {
  return [
    {
      title: t('scans.result'),
      flexible: true,
      cell: (scan) => (
        <>
          <Result scan={scan} />
          <small>
            <Since scan={scan} />
          </small>
        </>
      ),
    },
    {
      title: t('scans.when'),
      numeric: true,
      cell: (scan) => (
        <>
          <Day at={scan.endedAt ?? scan.createdAt} />
          <small>{t('scans.pageCount', { count: scan.pages.visited })}</small>
        </>
      ),
    },
  ];
}

function Result({ scan }: { scan: ScanResponse }) {
  const { tone, text } = verdictOf(scan);
  return (
    <span className="scan-result">
      <Link
        from="/projects/$projectId/scans"
        to="/projects/$projectId/scans/$scanId"
        params={(params) => ({ ...params, scanId: scan.id })}
        className="row-link"
        onClick={(event) => event.stopPropagation()}
      >
        {isRunning(scan) ? <Running scan={scan} /> : <Verdict tone={tone}>{text}</Verdict>}
      </Link>
      {scan.status === 'partial' && scan.result !== null && (
        <span className="pill" title={scan.reason ? t(`scans.reasons.${scan.reason.code}`) : undefined}>
          {t('scans.statuses.partial')}
        </span>
      )}
    </span>
  );
}

/** The progress of a running scan: only the scan itself has its states. */
function useProgress(scan: ScanResponse) {
  const { id: projectId } = useProject();
  const { data } = useQuery({
    ...scanReadOptions({ path: { projectId, scanId: scan.id } }),
    enabled: scan.status === 'running',
    refetchInterval: LIVE_MS,
  });
  return progressOf(data ?? { ...scan, states: [] });
}

function Running({ scan }: { scan: ScanResponse }) {
  return <Verdict tone="run">{useProgress(scan).title}</Verdict>;
}

function Since({ scan }: { scan: ScanResponse }) {
  return isRunning(scan) ? <Progress scan={scan} /> : <ScanChange scan={scan} />;
}

function Progress({ scan }: { scan: ScanResponse }) {
  const { share, text } = useProgress(scan);
  if (scan.queue) return <QueuePlace scan={scan} />;
  return (
    <span className="scan-change">
      <progress className="meter" max={1} value={share} aria-label={t('scans.progress')} />
      <span className="quiet">{text}</span>
    </span>
  );
}

const count = (value: number | undefined) =>
  value === undefined ? <NoValue reason={t('scans.noResult')} /> : formatNumber(value);

function pagesIn(scan: ScanResponse) {
  const { visited, failed, open } = scan.pages;
  if (!isRunning(scan)) return formatNumber(visited);
  const total = Math.min(scan.pagesMax, visited + failed + open);
  return t('scans.doneOf', { done: visited + failed, total });
}

/** Shorter than how long ago it was. */
function Day({ at }: { at: string }) {
  const { zone } = useZone();
  return <span className="quiet">{shortDay(new Date(at), zone, locale)}</span>;
}

function when({ endedAt, createdAt }: ScanResponse) {
  return (
    <span className="quiet">
      <RelativeTime at={endedAt ?? createdAt} />
    </span>
  );
}
