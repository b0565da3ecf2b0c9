import { Button, Text } from '@mantine/core';
import type { FindingResponse } from '../../client/types.gen';
import { type Status, StatusLabel } from '../../shared/status-label';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { findingSentence, pageAct, pathOf } from './finding-sentence';

/** How a certainty is marked. */
export const CERTAINTY_STATUS: Record<FindingResponse['certainty'], Status> = {
  settled: 'bad',
  arguable: 'waiting',
  open: 'off',
};

/** A finding as a sentence, with how certain it is, where it was seen, and what can be done about it. */
export function FindingRow({
  finding,
  actions,
}: {
  finding: FindingResponse;
  /** null: it is only shown. */
  actions: { disabled: boolean; accept: () => void; reopen: () => void } | null;
}) {
  const { certainty, status, rule, state, category, service, acceptedReason } = finding;
  // Requests are neither set nor stored.
  const uses = finding.itemKind === 'request' || finding.itemKind === 'fingerprint' ? [] : finding.uses;
  const isAccepted = status === 'accepted';
  return (
    <li className="finding">
      <div className="finding-text">
        <Text fw={550}>{findingSentence(finding)}</Text>
        <div className="finding-facts">
          <StatusLabel status={CERTAINTY_STATUS[certainty]}>
            {t(`findings.certainties.${certainty}`)}
          </StatusLabel>
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
        {uses.length > 0 && (
          <details>
            <summary>{t('findings.uses.title', { count: uses.length })}</summary>
            <ul>
              {uses.map((use) => (
                <li key={use.url}>
                  <VisibleText text={pathOf(use.url)} />: {pageAct(use)}
                </li>
              ))}
            </ul>
          </details>
        )}
        {acceptedReason !== null && (
          <Text c="dimmed">{t('findings.acceptedReason', { reason: acceptedReason })}</Text>
        )}
      </div>
      {actions && status !== 'fixed' && (
        <Button
          variant="default"
          disabled={actions.disabled}
          onClick={isAccepted ? actions.reopen : actions.accept}
          aria-label={`${t(isAccepted ? 'findings.reopen' : 'findings.accept')}: ${findingSentence(finding)}`}
        >
          {t(isAccepted ? 'findings.reopen' : 'findings.accept')}
        </Button>
      )}
    </li>
  );
}
