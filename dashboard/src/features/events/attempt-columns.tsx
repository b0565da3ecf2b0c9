import { Link } from '@tanstack/react-router';
import type { EventAttemptResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import type { Column } from '../../shared/infinite-table';
import { NoValue } from '../../shared/no-value';
import { StatusLabel } from '../../shared/status-label';
import { Countdown, RelativeTime } from '../../shared/timestamps';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { t, translateCode } from '../../i18n/i18n';
import { failureSentence, outcomeStatus } from '../deliveries/outcome';

/** What happened in an attempt, as a sentence. */
export function attemptSentence(attempt: EventAttemptResponse, host: string): string {
  const { outcome, httpStatus, durationMs } = attempt;
  if (outcome === 'skipped') return t('events.skippedByMember');
  if (outcome === 'failed') return failureSentence(attempt);
  return t('deliveries.delivered', { host, status: `${httpStatus ?? 0}`, ms: durationMs });
}

/** `retries`: attempts after which the event is retried. */
export const attemptColumns = (retries: ReadonlySet<string>): Column<EventAttemptResponse>[] => [
  { title: t('deliveries.attempted'), cell: (attempt) => <AttemptLink attempt={attempt} /> },
  { title: t('deliveries.outcome'), cell: (attempt) => <Outcome attempt={attempt} /> },
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
  { title: t('events.type'), cell: ({ type }) => <span className="mono">{type}</span> },
  {
    title: t('events.details'),
    flexible: true,
    cell: (attempt) => <Cause attempt={attempt} isRetried={retries.has(attempt.id)} />,
  },
];

/** The same attempts in two lines: outcome and type, time and status. */
export const attemptPhoneColumns: Column<EventAttemptResponse>[] = [
  {
    title: t('deliveries.outcome'),
    flexible: true,
    cell: (attempt) => (
      <>
        <Outcome attempt={attempt} />
        <small className="mono">{attempt.type}</small>
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

function AttemptLink({ attempt: { eventId, attemptedAt } }: { attempt: EventAttemptResponse }) {
  return (
    <Link
      to="."
      search={(search) => ({ ...search, open: eventId })}
      className="row-link"
      onClick={(event) => event.stopPropagation()}
    >
      <RelativeTime at={attemptedAt} />
      <VisuallyHidden>{t('events.openDelivery')}</VisuallyHidden>
    </Link>
  );
}

function Outcome({ attempt: { outcome } }: { attempt: EventAttemptResponse }) {
  return <StatusLabel status={outcomeStatus(outcome)}>{t(`outcomes.${outcome}`)}</StatusLabel>;
}

/** Why it failed, and when the event is sent again. */
function Cause({ attempt, isRetried }: { attempt: EventAttemptResponse; isRetried: boolean }) {
  const { attempt: number, category, nextAttemptAt } = attempt;
  const parts = [
    number > 1 && t('deliveries.attempt', { attempt: number }),
    translateCode('deliveries.categories', category),
  ].filter(Boolean);
  return (
    <span className="sentence-cell">
      {parts.join(': ')}
      {isRetried && nextAttemptAt !== null && (
        <>
          {parts.length > 0 && '. '}
          {t('deliveries.willRetry')} <Countdown at={nextAttemptAt} />
        </>
      )}
    </span>
  );
}
