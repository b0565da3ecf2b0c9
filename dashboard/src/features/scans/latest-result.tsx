import { Text } from '@mantine/core';
import type { ProjectResponse, ScanAllowanceResponse, ScanResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { STATES } from './finding-groups';
import { Schedule } from './schedule';
import { isRunning } from './scan-status';
import { TrendBars } from './trend-bars';
import { Verdict, verdictOf } from './verdict';

/** The result of the last scan, how it came to that, and when the next scan is. */
export function LatestResult(props: {
  project: ProjectResponse;
  scans: readonly ScanResponse[];
  allowance: ScanAllowanceResponse | undefined;
}) {
  const { project, scans, allowance } = props;
  const latest = scans.find((scan) => !isRunning(scan));
  return (
    <div className="card scan-latest">
      <section aria-label={t('scans.latest')}>
        {latest ? <Latest projectId={project.id} scan={latest} /> : <NoResult hasScan={scans.length > 0} />}
        <TrendBars scans={scans} />
        {scans.length === 1 && latest && <p className="trend-hint">{t('scans.trendHint')}</p>}
      </section>
      <Schedule project={project} allowance={allowance} />
    </div>
  );
}

function Latest({ projectId, scan }: { projectId: string; scan: ScanResponse }) {
  const { tone, text } = verdictOf(scan);
  const { result, pages, endedAt, reason } = scan;
  return (
    <div className="scan-latest-head">
      <div>
        <h2>
          <Verdict tone={tone}>{text}</Verdict>
        </h2>
        <Text c="dimmed">
          {result
            ? t('scans.latestText', { arguable: result.arguable, open: result.open, pages: pages.visited })
            : reason && t(`scans.reasons.${reason.code}`)}{' '}
          {endedAt !== null && <RelativeTime at={endedAt} />}
        </Text>
      </div>
      <ButtonLink
        size="compact-sm"
        to="/projects/$projectId/scans/$scanId"
        params={{ projectId, scanId: scan.id }}
      >
        {t('scans.review')}
      </ButtonLink>
    </div>
  );
}

function NoResult({ hasScan }: { hasScan: boolean }) {
  return (
    <div>
      <h2>{t(hasScan ? 'scans.firstRuns' : 'scans.none')}</h2>
      <Text c="dimmed">{t('scans.noneText')}</Text>
      <dl className="scan-preview" aria-label={t('scans.states.title')}>
        {STATES.map((state) => (
          <div key={state}>
            <dt>{t(`scans.states.${state}`)}</dt>
            <dd>
              {state === 'accept' ? t('scans.acceptText', { open: 0 }) : t(`scans.stateTexts.${state}`)}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
