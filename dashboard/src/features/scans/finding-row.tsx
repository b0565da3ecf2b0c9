import { Text } from '@mantine/core';
import type { FindingResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { findingSentence } from './finding-sentence';
import { CERTAINTY_TONE, Verdict } from './verdict';

/** A finding as a sentence, with how certain it is and where it was seen. */
export function FindingRow({ finding }: { finding: FindingResponse }) {
  const { certainty, status, rule, state, category, service } = finding;
  return (
    <li className="finding">
      <Text fw={550}>{findingSentence(finding)}</Text>
      <div className="finding-facts">
        <Verdict tone={CERTAINTY_TONE[certainty]}>{t(`findings.certainties.${certainty}`)}</Verdict>
        <span>{t(`findings.statuses.${status}`)}</span>
        <span>{t(`scans.states.${state}`)}</span>
        {category && (
          <span>
            {t(`cookies.categories.${category}`)}
            {service !== null && ` (${service})`}
          </span>
        )}
        <span>{t('findings.rule', { rule })}</span>
      </div>
    </li>
  );
}
