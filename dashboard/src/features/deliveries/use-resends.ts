import { useQuery } from '@tanstack/react-query';
import { auditListOptions } from '../../client/@tanstack/react-query.gen';
import type { ConsentResponse, DeliveryResponse, ProjectResponse } from '../../client/types.gen';
import { roleCovers } from '../../shared/access';
import { t } from '../../i18n/i18n';
import { resendsOf } from './resends';

/** Resends of the project that are searched for the record's. */
const RESENDS_MAX = 200;

/** Whether an attempt was a resend, and who requested it (for owners: it is in the audit log). */
export function useResends(
  project: ProjectResponse,
  record: ConsentResponse,
  attempts: readonly DeliveryResponse[],
): (attempt: DeliveryResponse) => string | null {
  const resends = resendsOf(attempts);
  const query = useQuery({
    ...auditListOptions({
      path: { projectId: project.id },
      query: { action: 'delivery.resend', from: record.receivedAt, limit: RESENDS_MAX },
    }),
    enabled: resends.size > 0 && roleCovers(project.role, 'owner'),
  });
  return ({ id }) => {
    const span = resends.get(id);
    if (!span) return null;
    const request = query.data?.items.find(
      ({ at, target }) => target === record.id && at > span.after && at <= span.until,
    );
    return request?.actor.name
      ? t('deliveries.resentBy', { name: request.actor.name })
      : t('deliveries.resent');
  };
}
