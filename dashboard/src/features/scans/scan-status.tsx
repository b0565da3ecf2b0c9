import { Text } from '@mantine/core';
import type { ScanResponse, ScanPageResponse } from '../../client/types.gen';
import { type Status, StatusLabel } from '../../shared/status-label';
import { t } from '../../i18n/i18n';

const PAGE_STATUS: Record<ScanPageResponse['status'], Status> = {
  found: 'waiting',
  visiting: 'waiting',
  visited: 'good',
  failed: 'bad',
  skipped: 'off',
};

export function isRunning({ status }: Pick<ScanResponse, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** For so long after a scan its findings may still be missing. */
const EVALUATION_MS = 60_000;

/** Whether a scan runs, or a worker evaluates it. */
export function changesSoon(scan: ScanResponse): boolean {
  const { endedAt, result, status } = scan;
  if (isRunning(scan)) return true;
  const hasResult = status === 'completed' || status === 'partial';
  return hasResult && result === null && Date.now() - Date.parse(endedAt ?? '') < EVALUATION_MS;
}

/** The place of a scan that waits for a scanner. */
export function QueuePlace({ scan: { status, queue } }: { scan: Pick<ScanResponse, 'status' | 'queue'> }) {
  if (queue === null) return null;
  const { position, startsInSeconds } = queue;
  const minutes = Math.max(1, Math.ceil((startsInSeconds ?? 0) / 60));
  return (
    <Text c="dimmed">
      {t('scans.queuePosition', { position })}
      {startsInSeconds !== null && ` ${t('scans.queueStart', { status, minutes })}`}
    </Text>
  );
}

export function PageStatus({ page: { status } }: { page: ScanPageResponse }) {
  return <StatusLabel status={PAGE_STATUS[status]}>{t(`scans.pageStatuses.${status}`)}</StatusLabel>;
}

/** Why a page failed or was skipped, with the server's status code; empty where it was visited. */
export function pageReason({ reason, httpStatus }: ScanPageResponse): string {
  if (reason === null) return '';
  if (reason.code === 'http_error' && httpStatus !== null)
    return t('scans.serverReturned', { status: String(httpStatus) });
  return t(`scans.pageReasons.${reason.code}`);
}
