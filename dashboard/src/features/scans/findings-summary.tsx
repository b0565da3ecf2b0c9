import type { ScanFindingPageResponse } from '../../client/types.gen';
import { Figure, Figures } from '../../shared/figure';
import { formatNumber } from '../../shared/format';
import { t } from '../../i18n/i18n';

type StateSummary = ScanFindingPageResponse['summary'][number];

/** What happened without consent, in four numbers. A state that was not tested has none. */
export function FindingsSummary({ summary }: { summary: StateSummary[] }) {
  return (
    <Figures label={t('findings.summary')}>
      {summary.map((state) => (
        <Figure
          key={state.state}
          title={t(`scans.states.${state.state}`)}
          value={state.tested ? formatNumber(state.cookies + state.services) : '–'}
          note={note(state)}
        />
      ))}
    </Figures>
  );
}

function note({ tested, cookies, services, open }: StateSummary): string {
  return tested ? t('findings.figureNote', { cookies, services, open }) : t('findings.notTested');
}
