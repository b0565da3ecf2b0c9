import type { TestDatabase } from '../support/database/database.js';
import type { RawClient, RawRequest } from '../support/fakes/raw-request.js';
import { freshAddress } from '../support/people/user.js';

/** Refusals of one kind (route, actor, status, code) that are kept. */
const PER_KIND_MAX = 2;
/** Sent again between two looks at the database. */
const GROUP = 20;
const ROUNDS_MAX = 4;
/** Attempts are counted where they are refused; the counts of the analytics are brought up to date by the clock. */
const MOVING = /^(sign_in_attempt|consent_rollup_.*)$/;

/** Refused requests of each kind, sent again at the end to see whether a refusal changes anything at all. */
export class Refusals {
  private readonly kept: RawRequest[] = [];
  private readonly seen = new Map<string, number>();

  constructor(private readonly keptMax: number) {}

  add(kind: string, request: RawRequest): void {
    const times = this.seen.get(kind) ?? 0;
    this.seen.set(kind, times + 1);
    if (times < PER_KIND_MAX && this.kept.length < this.keptMax) this.kept.push(request);
  }

  get kinds(): number {
    return this.seen.size;
  }

  /**
   * Sends all of them again, without concurrent requests, and compares the content of every table
   * before and after. Skips requests that are no longer refused. Returns the changes, and the
   * number compared.
   */
  async sendAgain(
    client: RawClient,
    database: TestDatabase,
  ): Promise<{ changed: string[]; compared: number }> {
    const changed: string[] = [];
    let compared = 0;
    for (let at = 0; at < this.kept.length; at += GROUP) {
      let group = this.kept.slice(at, at + GROUP);
      let tables: string[] = [];
      // A change by time (the end of a grace period) happens once; one by a refusal, each time.
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const before = await contentOf(database);
        const refused = await refusedAmong(group, client);
        const unlike = refused.length < group.length;
        group = refused;
        if (unlike) continue;
        const after = await contentOf(database);
        tables = [...after].filter(([table, sum]) => before.get(table) !== sum).map(([table]) => table);
        compared += group.length;
        if (tables.length === 0) break;
      }
      if (tables.length > 0) changed.push(`${tables.join(', ')} by one of\n${group.map(shown).join('\n')}`);
    }
    return { changed, compared };
  }
}

async function refusedAmong(group: RawRequest[], client: RawClient): Promise<RawRequest[]> {
  const refused: RawRequest[] = [];
  for (const request of group) {
    const headers = { ...request.headers, 'x-forwarded-for': freshAddress() };
    const { status } = await client.send({ ...request, headers });
    if (status >= 400 && status < 500) refused.push(request);
  }
  return refused;
}

function shown({ method, path, body }: RawRequest): string {
  return `${method} ${path} ${String(body).slice(0, 80)}`.slice(0, 240);
}

/** A checksum over all rows of each table. */
async function contentOf(database: TestDatabase): Promise<Map<string, string>> {
  const tables = await database.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  const sums = tables
    .filter(({ name }) => !MOVING.test(name))
    .map(
      ({ name }) =>
        `select '${name}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as sum from "${name}" t`,
    );
  const rows = await database.query<{ name: string; sum: string }>(sums.join(' union all '));
  return new Map(rows.map(({ name, sum }) => [name, sum]));
}
