import { Link } from '@tanstack/react-router';
import type { EventResponse } from '../../client/types.gen';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/infinite-table';
import { RelativeTime } from '../../shared/timestamps';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { t } from '../../i18n/i18n';
import { typeName } from './endpoint-state';

/** Members of `data` that every event has. */
const COMMON = new Set(['projectId', 'id', 'url']);

export const eventColumns: Column<EventResponse>[] = [
  { title: t('events.when'), cell: (event) => <EventLink event={event} /> },
  { title: t('events.event'), cell: ({ type }) => typeName(type) },
  { title: t('events.type'), cell: ({ type }) => <span className="mono">{type}</span> },
  {
    title: t('events.details'),
    flexible: true,
    cell: ({ data }) => <span className="sentence-cell">{detailsOf(data)}</span>,
  },
  { title: t('events.eventId'), numeric: true, cell: ({ id }) => <CopyId id={id} /> },
];

/** The same events in two lines: name and type, time and details. */
export const eventPhoneColumns: Column<EventResponse>[] = [
  {
    title: t('events.event'),
    flexible: true,
    cell: ({ type }) => (
      <>
        {typeName(type)}
        <small className="mono">{type}</small>
      </>
    ),
  },
  {
    title: t('events.when'),
    numeric: true,
    cell: (event) => (
      <>
        <EventLink event={event} />
        <small>{detailsOf(event.data)}</small>
      </>
    ),
  },
];

function EventLink({ event: { id, timestamp } }: { event: EventResponse }) {
  return (
    <Link
      to="."
      search={(search) => ({ ...search, open: id })}
      className="row-link"
      onClick={(clicked) => clicked.stopPropagation()}
    >
      <RelativeTime at={timestamp} />
      <VisuallyHidden>{t('events.openEvent')}</VisuallyHidden>
    </Link>
  );
}

/** The members of `data` that only this type has, as `role: editor`. */
function detailsOf(data: EventResponse['data']): string {
  return Object.entries(data)
    .filter(([name]) => !COMMON.has(name))
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(' · ');
}
