import { Link } from '@tanstack/react-router';
import ChevronRight from 'lucide-react/icons/chevron-right';
import type { EventEndpointResponse } from '../../client/types.gen';
import { RelativeTime } from '../../shared/timestamps';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { EndpointState, StateCause, waitingSentence } from './endpoint-state';

/** The endpoints of a project with their health; each leads to its page. */
export function EndpointList({
  projectId,
  endpoints,
}: {
  projectId: string;
  endpoints: EventEndpointResponse[];
}) {
  return (
    <ul className="card endpoint-list" aria-label={t('events.endpoints')}>
      {endpoints.map((endpoint) => (
        <li key={endpoint.id}>
          <Link
            to="/projects/$projectId/settings/events/$endpointId"
            params={{ projectId, endpointId: endpoint.id }}
            className="endpoint-row"
            data-state={endpoint.state}
          >
            <EndpointSummary endpoint={endpoint} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function EndpointSummary({ endpoint }: { endpoint: EventEndpointResponse }) {
  const { url, description, eventTypes, lastDeliveredAt, waiting } = endpoint;
  return (
    <>
      <span className="endpoint-what">
        <b title={url}>{url}</b>
        <small>
          {description !== '' && (
            <>
              <VisibleText text={description} /> ·{' '}
            </>
          )}
          {t('events.typeCount', { count: eventTypes.length })}
        </small>
      </span>
      <span className="endpoint-fact">
        {lastDeliveredAt === null ? (
          <span className="quiet">{t('events.neverDelivered')}</span>
        ) : (
          <>
            <RelativeTime at={lastDeliveredAt} />
            <small>{t('events.lastDelivery')}</small>
          </>
        )}
      </span>
      <span className="endpoint-fact">
        <EndpointState endpoint={endpoint} />
        <small>
          <StateCause endpoint={endpoint} />
          {waiting > 0 && <span className="endpoint-waiting">{waitingSentence(waiting)}</span>}
        </small>
      </span>
      <ChevronRight className="icon" aria-hidden />
    </>
  );
}
