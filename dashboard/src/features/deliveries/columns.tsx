import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DeliveryDto } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/infinite-table';
import { formatNumber } from '../../shared/format';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { shortId } from '../../shared/short-id';
import { StatusLabel } from '../../shared/status-label';
import { RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import type { Selection } from './selection';
import { outcomeStatus, outcomeSentence } from './outcome';

/** The columns of the list of attempts; a checkbox selects the attempt's record. */
export function deliveryColumns(
  choice: Selection,
  shown: DeliveryDto[],
  disabled: boolean,
): Column<DeliveryDto>[] {
  return [chooseColumn(choice, shown, disabled), ...COLUMNS];
}

function chooseColumn(choice: Selection, shown: DeliveryDto[], disabled: boolean): Column<DeliveryDto> {
  const all = shown.length > 0 && shown.every(({ consentId }) => choice.ids.has(consentId));
  return {
    title: t('deliveries.select'),
    header: (
      <Checkbox
        size="xs"
        aria-label={t('deliveries.selectShown')}
        disabled={disabled}
        checked={all}
        indeterminate={!all && choice.ids.size > 0}
        onChange={() => (all ? choice.clear() : choice.add(shown))}
      />
    ),
    cell: ({ consentId }) => (
      <Checkbox
        size="xs"
        aria-label={t('deliveries.selectOne', { id: shortId(consentId) })}
        // The row opens the record.
        wrapperProps={{ onClick: (event: { stopPropagation: () => void }) => event.stopPropagation() }}
        disabled={disabled}
        checked={choice.ids.has(consentId)}
        onChange={() => choice.toggle(consentId)}
      />
    ),
  };
}

const COLUMNS: Column<DeliveryDto>[] = [
  {
    title: t('deliveries.attempted'),
    cell: ({ consentId, attemptedAt }) => (
      <Link
        to="."
        search={(search) => ({ ...search, open: consentId })}
        className="row-link"
        onClick={(event) => event.stopPropagation()}
      >
        <RelativeTime at={attemptedAt} />
        <VisuallyHidden>{t('consents.openRecord')}</VisuallyHidden>
      </Link>
    ),
  },
  {
    title: t('deliveries.outcome'),
    cell: ({ outcome }) => (
      <StatusLabel status={outcomeStatus(outcome)}>{t(`outcomes.${outcome}`)}</StatusLabel>
    ),
  },
  { title: t('deliveries.status'), numeric: true, cell: ({ httpStatus }) => httpStatus ?? '–' },
  {
    title: t('deliveries.duration'),
    numeric: true,
    cell: ({ durationMs }) => `${formatNumber(durationMs)} ms`,
  },
  {
    title: t('deliveries.details'),
    cell: (attempt) => <span className="sentence-cell">{outcomeSentence(attempt)}</span>,
  },
  { title: t('deliveries.record'), cell: ({ consentId }) => <CopyId id={consentId} /> },
];
