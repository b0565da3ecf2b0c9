import type { ScanDetailsResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';

type Running = Pick<ScanDetailsResponse, 'status' | 'pages' | 'pagesMax' | 'states'>;

/** The current step of a running scan in words, and its progress: the crawl and each state are one step. */
export function progressOf({ status, pages, pagesMax, states }: Running): {
  title: string;
  text: string;
  share: number;
} {
  const done = pages.visited + pages.failed;
  const total = Math.max(1, Math.min(pagesMax, done + pages.open));
  const ended = states.filter((state) => state.status !== 'pending' && state.status !== 'running').length;
  const current = states.find((state) => state.status === 'running');
  const share = (Math.min(1, done / total) + ended) / 6;
  if (status === 'queued') return { title: t('scans.statuses.queued'), text: '', share: 0 };
  if (!current) return { title: t('scans.visiting'), text: t('scans.progressText', { done, total }), share };
  return {
    title: t('scans.testing', { state: current.state }),
    text: t('scans.stateOf', { number: states.indexOf(current) + 1, total: states.length }),
    share,
  };
}
