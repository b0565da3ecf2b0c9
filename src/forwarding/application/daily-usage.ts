import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { tooManyRequests } from '../../shared/domain-error.js';
import { lockSettings } from './forwarding-settings.service.js';

/** What is counted by project and day: records sent again by hand, and tests of the endpoint. */
type Counted = 'resent' | 'tested';

const COLUMNS = { resent: sql.ref('resent_on_day'), tested: sql.ref('tested_on_day') };
const SENTENCES: Record<Counted, string> = {
  resent: 'Daily resend limit reached. Resend more tomorrow (UTC).',
  tested: 'Daily limit of endpoint tests reached. Test again tomorrow (UTC).',
};

/**
 * Takes up to `wanted` of what the project may use of a day, inside the caller's transaction, and returns how
 * many it got. Days are of UTC by the database's clock. The endpoint may be anybody's host (spec §2.2), so what
 * is sent by hand has a bound.
 * @throws DomainError `too_many_requests` with the seconds until the next day, where nothing is left.
 */
export async function useOfDay(
  tx: EntityManager,
  projectId: string,
  counted: Counted,
  perDay: number,
  wanted: number,
): Promise<number> {
  await lockSettings(tx, projectId);
  const column = COLUMNS[counted];
  const { rows } = await sql<{ used: number; secondsLeft: number }>`
    select case when usage_day = (now() at time zone 'UTC')::date then ${column} else 0 end as used,
           ceil(extract(epoch from date_trunc('day', now(), 'UTC') + interval '1 day' - now()))::int as "secondsLeft"
    from forwarding_settings where project_id = ${projectId}
  `.execute(tx.getKysely());
  const { used, secondsLeft } = rows[0] ?? { used: 0, secondsLeft: 1 };
  if (used >= perDay) {
    throw tooManyRequests(SENTENCES[counted], secondsLeft * 1000);
  }
  const taken = Math.min(wanted, perDay - used);
  await sql`
    update forwarding_settings
    set resent_on_day = case when usage_day = (now() at time zone 'UTC')::date then resent_on_day else 0 end
                        + ${counted === 'resent' ? taken : 0},
        tested_on_day = case when usage_day = (now() at time zone 'UTC')::date then tested_on_day else 0 end
                        + ${counted === 'tested' ? taken : 0},
        usage_day = (now() at time zone 'UTC')::date
    where project_id = ${projectId}
  `.execute(tx.getKysely());
  return taken;
}
