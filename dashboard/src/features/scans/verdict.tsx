import type { FindingResponse, ScanResponse } from '../../client/types.gen';
import { locale, t } from '../../i18n/i18n';
import { changesSoon, isRunning } from './scan-status';
import './verdict.css';

type ScanResultResponse = NonNullable<ScanResponse['result']>;
export type VerdictTone = 'bad' | 'warn' | 'ask' | 'good' | 'none' | 'run';

export const CERTAINTY_TONE: Record<FindingResponse['certainty'], VerdictTone> = {
  settled: 'bad',
  arguable: 'warn',
  open: 'ask',
};

/** The worst result of a scan, in words and a shape; never whether the site complies with a law. */
export function verdictOf(scan: ScanResponse): { tone: VerdictTone; text: string } {
  const { status, result, pages } = scan;
  if (isRunning(scan)) return { tone: 'run', text: t(`scans.statuses.${status}`) };
  if (status === 'canceled') return { tone: 'none', text: t('scans.statuses.canceled') };
  if (status === 'failed' || pages.visited === 0) return { tone: 'none', text: t('scans.notTestable') };
  if (result === null)
    return changesSoon(scan)
      ? { tone: 'run', text: t('scans.evaluating') }
      : { tone: 'none', text: t('scans.notEvaluated') };
  const { worst, arguable, open } = result;
  if (worst !== null) return { tone: 'bad', text: problemText(worst) };
  if (arguable > 0) return { tone: 'warn', text: t('scans.verdicts.arguable', { count: arguable }) };
  if (open > 0) return { tone: 'ask', text: t('scans.verdicts.open', { count: open }) };
  return { tone: 'good', text: t('scans.verdicts.none') };
}

function problemText({ kind, cookies, services }: NonNullable<ScanResultResponse['worst']>): string {
  const things = [
    ...(cookies > 0 ? [t('scans.cookieCount', { count: cookies })] : []),
    ...(services > 0 ? [t('scans.serviceCount', { count: services })] : []),
  ];
  return t(`scans.verdicts.${kind}`, { things: new Intl.ListFormat(locale).format(things) });
}

/** A word and a shape: a diamond is a clear problem, a ring arguable, a square for the owner to decide. */
export function Verdict({ tone, children }: { tone: VerdictTone; children: string }) {
  return (
    <span className="verdict" data-tone={tone}>
      <span>{children}</span>
    </span>
  );
}
