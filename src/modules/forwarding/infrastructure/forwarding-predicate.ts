import { type RawBuilder, sql } from 'kysely';
import type { ForwardingPredicate } from '../../consent/consent.hooks.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';

/**
 * Whether a record is forwarded (spec §6), or why not: `tier` or `off`. The tier must allow it, and
 * one of these must hold: forwarding is on with an endpoint; or the request has an endpoint, the
 * project has none, and its settings were never saved or allow that. The expression is constant, so
 * the ingest statement stays prepared. Each record looks up the settings by key: for an `exists`,
 * the planner may hash the settings of all projects.
 */
export function forwardingPredicate(legacyAllowed: boolean): ForwardingPredicate {
  return ({ projectId, tier, customEndpoint }) => {
    const settings = (condition: RawBuilder<boolean>): RawBuilder<boolean> =>
      sql`coalesce((select ${condition} from forwarding_settings f where f.project_id = ${projectId}), false)`;
    const own = settings(sql`f.enabled and f.endpoint_url is not null`);
    const refused = settings(
      sql`f.saved_at is not null and (f.endpoint_url is not null or not f.enabled or not f.allow_custom_endpoint)`,
    );
    const legacy = sql`(${customEndpoint} is not null and not ${refused})`;
    return sql`
      case when ${tier} not in (${sql.join(FORWARDING_TIERS.map((name) => sql.lit(name)))}) then 'tier'
           when ${legacyAllowed ? sql`${own} or ${legacy}` : own} then null else 'off' end`;
  };
}
