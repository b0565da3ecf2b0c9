import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { DeliveryResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/infinite-table';
import { formatNumber } from '../../shared/format';
import { NoValue } from '../../shared/no-value';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { shortId } from '../../shared/short-id';
import { StatusLabel } from '../../shared/status-label';
import { Countdown, RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import type { Selection } from './selection';
import { outcomeSentence, outcomeStatus } from './outcome';

/** The columns of the list of attempts; a checkbox selects the attempt's record. */
export function deliveryColumns(
  choice: Selection,
  shown: DeliveryResponse[],
  disabled: boolean,
): Column<DeliveryResponse>[] {
  return [chooseColumn(choice, shown, disabled), ...COLUMNS];
}

export function deliveryPhoneColumns(
  choice: Selection,
  shown: DeliveryResponse[],
  disabled: boolean,
): Column<DeliveryResponse>[] {
  return [chooseColumn(choice, shown, disabled), ...PHONE_COLUMNS];
}

function chooseColumn(
  choice: Selection,
  shown: DeliveryResponse[],
  disabled: boolean,
): Column<DeliveryResponse> {
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

const COLUMNS: Column<DeliveryResponse>[] = [
  { title: t('deliveries.attempted'), cell: (attempt) => <AttemptLink attempt={attempt} /> },
  { title: t('deliveries.outcome'), cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    title: t('deliveries.status'),
    numeric: true,
    cell: ({ httpStatus }) => httpStatus ?? <NoValue reason={t('deliveries.noResponse')} />,
  },
  {
    title: t('deliveries.duration'),
    numeric: true,
    cell: ({ durationMs }) => `${formatNumber(durationMs)} ms`,
  },
  { title: t('deliveries.details'), flexible: true, cell: (attempt) => <Details attempt={attempt} /> },
  { title: t('deliveries.record'), numeric: true, cell: ({ consentId }) => <CopyId id={consentId} /> },
];

/** The same attempts in two lines: how they ended and why, and when. */
const PHONE_COLUMNS: Column<DeliveryResponse>[] = [
  {
    title: t('deliveries.outcome'),
    flexible: true,
    cell: (attempt) => (
      <>
        <Outcome outcome={attempt.outcome} />
        <small>
          <Cause attempt={attempt} />
        </small>
      </>
    ),
  },
  {
    title: t('deliveries.attempted'),
    numeric: true,
    cell: (attempt) => (
      <>
        <AttemptLink attempt={attempt} />
        <small>
          {attempt.httpStatus !== null && `${attempt.httpStatus} · `}
          {formatNumber(attempt.durationMs)} ms
        </small>
      </>
    ),
  },
];

function AttemptLink({ attempt: { consentId, attemptedAt } }: { attempt: DeliveryResponse }) {
  return (
    <Link
      to="."
      search={(search) => ({ ...search, open: consentId })}
      className="row-link"
      onClick={(event) => event.stopPropagation()}
    >
      <RelativeTime at={attemptedAt} />
      <VisuallyHidden>{t('consents.openRecord')}</VisuallyHidden>
    </Link>
  );
}

function Outcome({ outcome }: Pick<DeliveryResponse, 'outcome'>) {
  return <StatusLabel status={outcomeStatus(outcome)}>{t(`outcomes.${outcome}`)}</StatusLabel>;
}

/** Why an attempt failed or when it is made again, in a few words. */
function Cause({ attempt: { category, nextAttemptAt, host } }: { attempt: DeliveryResponse }) {
  if (nextAttemptAt !== null)
    return (
      <>
        {t('deliveries.willRetry')} <Countdown at={nextAttemptAt} />
      </>
    );
  return category === null ? host : t(`deliveries.categories.${category}`);
}

function Details({ attempt }: { attempt: DeliveryResponse }) {
  return (
    <span className="sentence-cell">
      {attempt.nextAttemptAt !== null && (
        <>
          {t('deliveries.willRetry')} <Countdown at={attempt.nextAttemptAt} />.{' '}
        </>
      )}
      {attempt.attempt > 1 && `${t('deliveries.attempt', { attempt: attempt.attempt })}: `}
      {attempt.outcome === 'delivered' ? attempt.host : <FailureCause attempt={attempt} />}
    </span>
  );
}

/** Why an attempt failed, without the status and the duration, which have columns. */
function FailureCause({ attempt }: { attempt: DeliveryResponse }) {
  const { category, host } = attempt;
  if (category === null) return outcomeSentence(attempt);
  return `${t(`deliveries.categories.${category}`)}${host === null ? '' : ` (${host})`}`;
}
