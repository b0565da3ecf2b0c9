import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DeliveryDto } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/endless-list';
import { number } from '../../shared/format';
import { HiddenText } from '../../shared/hidden-text';
import { shortId } from '../../shared/short-id';
import { State } from '../../shared/state';
import { When } from '../../shared/when';
import { t } from '../../i18n/i18n';
import type { Choice } from './choice';
import { outcomeCondition, outcomeSentence } from './outcome';

/** An attempt in the list, with a box by which its record is chosen. */
export function deliveryColumns(
  choice: Choice,
  shown: DeliveryDto[],
  disabled: boolean,
): Column<DeliveryDto>[] {
  return [chooseColumn(choice, shown, disabled), ...COLUMNS];
}

function chooseColumn(choice: Choice, shown: DeliveryDto[], disabled: boolean): Column<DeliveryDto> {
  const all = shown.length > 0 && shown.every(({ consentId }) => choice.ids.has(consentId));
  return {
    title: t('deliveries.select'),
    head: (
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
        <When at={attemptedAt} />
        <HiddenText>{t('consents.openRecord')}</HiddenText>
      </Link>
    ),
  },
  {
    title: t('deliveries.outcome'),
    cell: ({ outcome }) => <State is={outcomeCondition(outcome)}>{t(`outcomes.${outcome}`)}</State>,
  },
  { title: t('deliveries.status'), number: true, cell: ({ httpStatus }) => httpStatus ?? '–' },
  { title: t('deliveries.duration'), number: true, cell: ({ durationMs }) => `${number(durationMs)} ms` },
  {
    title: t('deliveries.details'),
    cell: (attempt) => <span className="sentence-cell">{outcomeSentence(attempt)}</span>,
  },
  { title: t('deliveries.record'), cell: ({ consentId }) => <CopyId id={consentId} /> },
];
