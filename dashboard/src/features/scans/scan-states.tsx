import { Text } from '@mantine/core';
import type { ScanDetailsResponse } from '../../client/types.gen';
import { type Status, StatusLabel } from '../../shared/status-label';
import { t } from '../../i18n/i18n';

type ScanStateResponse = ScanDetailsResponse['states'][number];

const STATE_STATUS: Record<ScanStateResponse['status'], Status> = {
  pending: 'waiting',
  running: 'waiting',
  tested: 'good',
  not_tested: 'bad',
  skipped: 'off',
};

const DRIVER_KIND = /^(autoconsent|api):/;

/** The consent states side by side, each with its screenshot. */
export function ScanStates({ projectId, scan }: { projectId: string; scan: ScanDetailsResponse }) {
  if (scan.states.length === 0) return null;
  return (
    <ul className="state-list" aria-label={t('scans.states.title')}>
      {scan.states.map((state) => (
        <li key={state.state} className="state-card">
          <Text fw={600}>{t(`scans.states.${state.state}`)}</Text>
          <StatusLabel status={STATE_STATUS[state.status]}>
            {t(`scans.stateStatuses.${state.status}`)}
          </StatusLabel>
          {state.reason && <Text size="sm">{t(`scans.stateReasons.${state.reason.code}`)}</Text>}
          {state.driver !== null && (
            <Text size="sm" c="dimmed">
              {t('scans.stateDriver', { driver: state.driver.replace(DRIVER_KIND, '') })}
            </Text>
          )}
          {state.hasScreenshot && <Screenshot projectId={projectId} scanId={scan.id} state={state.state} />}
        </li>
      ))}
    </ul>
  );
}

function Screenshot({
  projectId,
  scanId,
  state,
}: {
  projectId: string;
  scanId: string;
  state: ScanStateResponse['state'];
}) {
  const address = `/v1/projects/${projectId}/scans/${scanId}/states/${state}/screenshot`;
  return (
    <a href={address} target="_blank" rel="noopener">
      <img
        src={address}
        loading="lazy"
        width={1280}
        height={800}
        alt={t('scans.screenshotOf', { state: t(`scans.states.${state}`) })}
      />
    </a>
  );
}
