import { Button } from '@mantine/core';
import type { FindingResponse } from '../../client/types.gen';
import { StatusLabel } from '../../shared/status-label';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { CERTAINTY_STATUS, FindingRow } from './finding-row';

/** An editor's actions on findings. */
export interface FindingActions {
  disabled: boolean;
  accept: (findings: FindingResponse[]) => void;
  reopen: (finding: FindingResponse) => void;
}

/**
 * The findings on one cookie, storage entry or service, under its name. Only those with a certain or arguable finding are
 * expanded, so that a long list can be surveyed.
 */
export function FindingGroup({
  findings,
  actions,
}: {
  findings: FindingResponse[];
  actions: FindingActions;
}) {
  // The API lists the most certain first.
  const [first] = findings;
  if (!first) return null;
  const rows = (
    <ul>
      {findings.map((finding) => (
        <FindingRow
          key={finding.id}
          finding={finding}
          actions={{
            disabled: actions.disabled,
            accept: () => actions.accept([finding]),
            reopen: () => actions.reopen(finding),
          }}
        />
      ))}
    </ul>
  );
  if (findings.length === 1) return rows;
  const open = findings.filter(({ status }) => status === 'new' || status === 'open');
  return (
    <details className="finding-group" open={first.certainty !== 'open'}>
      <summary>
        <StatusLabel status={CERTAINTY_STATUS[first.certainty]}>
          {t(`findings.certainties.${first.certainty}`)}
        </StatusLabel>
        <strong>
          <VisibleText text={first.name === '' ? first.host : first.name} />
        </strong>
        <span>{t('findings.count', { count: findings.length })}</span>
        <span className="finding-states">{statesOf(findings)}</span>
      </summary>
      {open.length > 1 && (
        <Button
          className="finding-accept-all"
          variant="default"
          disabled={actions.disabled}
          onClick={() => actions.accept(open)}
        >
          {t('findings.acceptAll', { count: open.length })}
        </Button>
      )}
      {rows}
    </details>
  );
}

function statesOf(findings: readonly FindingResponse[]): string {
  return [...new Set(findings.map(({ state }) => state))]
    .map((state) => t(`scans.states.${state}`))
    .join(', ');
}
