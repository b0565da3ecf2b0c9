import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';

/** How long a network is remembered after the last sign-in from it. */
const NETWORK_REMEMBERED_DAYS = 30;
/** Networks of one user: a mobile phone adds many, and the oldest are dropped. */
export const NETWORKS_PER_USER_MAX = 20;

/** Networks with a recent sign-in. They are stored as keyed hashes; no address is stored. */
export class KnownNetworks {
  constructor(
    private readonly pool: Pool,
    private readonly secret: string,
  ) {}

  async isKnown(email: string, network: string): Promise<boolean> {
    const { rows } = await this.pool.query(
      `select 1 from user_network n join app_user u on u.id = n.user_id
       where u.email = $1 and n.network_hash = $2 and n.seen_at > now() - make_interval(days => $3)`,
      [email, this.hashOf(email, network), NETWORK_REMEMBERED_DAYS],
    );
    return rows.length > 0;
  }

  /** Call this only after a correct password. */
  async remember(user: { id: string; email: string }, network: string): Promise<void> {
    await this.pool.query(
      `insert into user_network (user_id, network_hash, seen_at) values ($1, $2, now())
       on conflict (user_id, network_hash) do update set seen_at = now()`,
      [user.id, this.hashOf(user.email, network)],
    );
    await this.pool.query(
      `delete from user_network where user_id = $1 and (seen_at < now() - make_interval(days => $2)
         or network_hash in (
           select network_hash from user_network where user_id = $1 order by seen_at desc offset $3))`,
      [user.id, NETWORK_REMEMBERED_DAYS, NETWORKS_PER_USER_MAX],
    );
  }

  private hashOf(email: string, network: string): Buffer {
    return createHmac('sha256', this.secret).update(`${email}\n${network}`).digest();
  }
}
