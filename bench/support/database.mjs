import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { hashPassword } from 'better-auth/crypto';
import { Client } from 'pg';
import { v7 } from 'uuid';
import { TokenVault } from '../../dist/modules/forwarding/infrastructure/secret.rows.js';
import { startEmbeddedPostgres } from '../../dist/standalone/embedded-postgres.js';

/** The partition of the outbox that new messages go to, as the service inserts them. */
export const OPEN_PART = '(select part from outbox_opening order by id desc limit 1)';
const TOKEN_BYTES = 32;
const KEY_BYTES = 32;
const MEBIBYTE = 1024 ** 2;
/** Rows that one statement inserts. */
const SEED_ROWS_MAX = 10_000;
/** Rows that the server makes in one statement. */
const FILL_ROWS_MAX = 500_000;
/** The time over which such records are spread, up to now; last month's partition is there for all of it. */
const FILL_SECONDS = 27 * 24 * 60 * 60;

/**
 * The service's database, and what a benchmark writes into it by hand.
 *
 * @typedef {{ id: string, token: string }} BenchProject
 */
export class Database {
  /** The first key of the service, so that the tokens written here are those it can read. */
  secretKey = { id: 'bench', key: randomBytes(KEY_BYTES) };
  #vault = new TokenVault(/** @type {any} */ ({ secretKeys: [this.secretKey] }));

  /**
   * @param {string} url
   * @param {Client} client
   * @param {import('./scope.mjs').Scope} scope
   */
  constructor(url, client, scope) {
    this.url = url;
    this.client = client;
    this.scope = scope;
  }

  /**
   * Makes another database in the same server; its tables come with the first process that migrates it.
   * @param {string} name
   */
  async another(name) {
    await this.client.query(`create database ${name}`);
    return connectTo(Object.assign(new URL(this.url), { pathname: `/${name}` }).href, this.scope);
  }

  /** SECRET_KEYS as the service takes it. */
  get secretKeys() {
    return `${this.secretKey.id}:${this.secretKey.key.toString('base64')}`;
  }

  /**
   * Makes an API key.
   * @param {string} projectId
   * @param {'viewer' | 'editor' | 'owner'} [role]
   */
  async makeApiKey(projectId, role = 'viewer') {
    const key = `ck_${randomBytes(TOKEN_BYTES).toString('base64url')}`;
    await this.client.query(
      `insert into api_key (project_id, id, name, role, key_hash, prefix) values ($1, $2, 'Benchmark', $5, $3, $4)`,
      [projectId, v7(), createHash('sha256').update(key).digest(), key.slice(0, 8), role],
    );
    return key;
  }

  /**
   * Makes users with confirmed addresses and one password, and returns their addresses.
   * @param {number} count
   * @param {string} password
   * @returns {Promise<string[]>}
   */
  async makeUsers(count, password) {
    const ids = Array.from({ length: count }, () => v7());
    const emails = ids.map((id) => `${id}@example.com`);
    await this.client.query(
      `with made as (
         insert into app_user (id, name, email, email_verified)
         select id, 'Benchmark', email, true from unnest($1::uuid[], $2::text[]) as u (id, email)
       )
       insert into user_account (id, user_id, provider_id, account_id, password)
       select gen_random_uuid(), id, 'credential', id::text, $3 from unnest($1::uuid[]) as u (id)`,
      [ids, emails, await hashPassword(password)],
    );
    return emails;
  }

  /** What makes a commit durable, to be printed with the numbers. */
  async facts() {
    const { rows } = await this.client.query(`
      select current_setting('server_version') as "PostgreSQL", current_setting('fsync') as "fsync",
             current_setting('synchronous_commit') as "synchronous_commit"`);
    return rows[0];
  }

  /**
   * Makes projects of tier pro; with `endpointUrl` they forward to it, with a bearer token each.
   * @param {number} count
   * @param {string} [endpointUrl]
   * @returns {Promise<BenchProject[]>}
   */
  async makeProjects(count, endpointUrl) {
    const projects = Array.from({ length: count }, () => ({
      id: v7(),
      token: randomBytes(TOKEN_BYTES).toString('base64url'),
    }));
    const ids = projects.map(({ id }) => id);
    await this.client.query(
      `insert into project (id, name, tier, tier_reason)
       select id, 'Benchmark', 'pro', 'subscription' from unnest($1::uuid[]) as p (id)`,
      [ids],
    );
    if (endpointUrl === undefined) return projects;
    const sealed = projects.map(({ id, token }) => this.#vault.seal(id, token).ciphertext);
    await this.client.query(
      `insert into forwarding_settings (project_id, enabled, endpoint_url, auth_mode, token_ciphertext,
                                        token_key_id, token_origin, token_updated_at)
       select id, true, $2, 'bearer', ciphertext, $4, $5, now()
       from unnest($1::uuid[], $3::bytea[]) as p (id, ciphertext)`,
      [ids, endpointUrl, sealed, this.secretKey.id, new URL(endpointUrl).origin],
    );
    return projects;
  }

  /**
   * Stores `count` records spread over the projects, each with its message in the outbox, and with the salt that
   * the ingest gives to what will be sealed; a worker sees all of them at once.
   * @param {BenchProject[]} projects
   * @param {number} count
   */
  async fillOutbox(projects, count) {
    await this.client.query('begin');
    for (let done = 0; done < count; done += SEED_ROWS_MAX) {
      const rows = Math.min(SEED_ROWS_MAX, count - done);
      const projectIds = Array.from({ length: rows }, (_, row) => projects[row % projects.length].id);
      await this.client.query(
        `with made as (
           insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, extra, salt)
           select project_id, id, true, false, true, 'custom', 'www.example.com', '{"language": "de"}',
                  decode(md5(id::text) || md5('salt' || id::text), 'hex')
           from unnest($1::uuid[], $2::uuid[]) as r (project_id, id)
           returning project_id, id
         )
         insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
         select ${OPEN_PART}, project_id, project_id, 'consent.recorded', id from made`,
        [projectIds, projectIds.map(() => v7())],
      );
    }
    await this.client.query('commit');
  }

  /**
   * Stores `count` records of the last weeks, spread evenly over the projects, made by the server itself: for
   * millions. With `waiting` each has its message in the outbox. The rollups count them as added up.
   * @param {BenchProject[]} projects
   * @param {number} count
   * @param {{ waiting?: boolean, spreadSeconds?: number }} [options] up to now; all partitions must exist
   */
  async fillRecords(projects, count, { waiting = false, spreadSeconds = FILL_SECONDS } = {}) {
    const ids = projects.map(({ id }) => id);
    for (let done = 0; done < count; done += FILL_ROWS_MAX) {
      await this.client.query(
        `with made as (
           insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname, extra, received_at)
           select ($1::uuid[])[1 + n % cardinality($1::uuid[])],
                  (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
                   || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 3)
                   || lpad(to_hex($2::bigint + n), 12, '0'))::uuid,
                  true, false, true, 'custom', 'www.example.com', '{"language": "de", "bannerVersion": "2026-11"}', at
           from (
             select n, now() - interval '1 minute'
                    - make_interval(secs => ($4::bigint - $2::bigint - n) * $5::float8 / $4::bigint) as at
             from generate_series(1, $3::int) n
           ) s
           returning project_id, id
         )
         insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
         select ${OPEN_PART}, project_id, project_id, 'consent.recorded', id from made where $6`,
        [ids, done, Math.min(FILL_ROWS_MAX, count - done), count, spreadSeconds, waiting],
      );
    }
    await this.client.query(`update consent_rollup_state set done_until = now()`);
  }

  /**
   * Lets `count` messages wait, spread evenly over the projects, without records: for what only claims.
   * @param {BenchProject[]} projects
   * @param {number} count
   */
  async fillMessages(projects, count) {
    await this.client.query(
      `insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
       select ${OPEN_PART}, key, key, 'consent.recorded', gen_random_uuid()
       from generate_series(1, $2::int) n cross join lateral (select ($1::uuid[])[1 + n % cardinality($1::uuid[])]) as p (key)`,
      [projects.map(({ id }) => id), count],
    );
  }

  /**
   * Empties the outbox and queues the newest `count` stored records again.
   * @param {BenchProject[]} projects
   * @param {number} count
   */
  async refillOutbox(projects, count) {
    await this.client.query('truncate outbox_message');
    await this.client.query(
      `insert into outbox_message (part, ordering_key, project_id, topic, subject_id)
       select ${OPEN_PART}, project_id, project_id, 'consent.recorded', id from consent_record where project_id = any($1::uuid[]) limit $2`,
      [projects.map(({ id }) => id), count],
    );
    await this.settle();
  }

  /** Leaves nothing for the server to make up for while something is measured. */
  async settle() {
    await this.client.query('vacuum analyze');
    await this.client.query('checkpoint');
  }

  /** Size, dead and live rows, and vacuums of a table or of all its partitions. @param {string} table */
  async statisticsOf(table) {
    const { rows } = await this.client.query(
      `with tree as (select relid from pg_partition_tree($1::regclass) where isleaf union select $1::regclass)
       select coalesce(sum(pg_table_size(tree.relid)), 0)::float8 / $2 as "tableMb",
              coalesce(sum(pg_indexes_size(tree.relid)), 0)::float8 / $2 as "indexMb",
              coalesce(sum(n_dead_tup), 0)::float8 as dead, coalesce(sum(n_live_tup), 0)::float8 as live,
              coalesce(sum(autovacuum_count), 0)::float8 as vacuums
       from tree left join pg_stat_user_tables using (relid)`,
      [table, MEBIBYTE],
    );
    return /** @type {{ tableMb: number, indexMb: number, dead: number, live: number, vacuums: number }} */ (
      rows[0]
    );
  }

  /** Turns autovacuum of the outbox off or on again. @param {boolean} isOn */
  async setAutovacuum(isOn) {
    const { rows } = await this.client.query(
      `select relid::regclass::text as name from pg_partition_tree('outbox_message') where isleaf`,
    );
    for (const { name } of rows)
      await this.client.query(
        `alter table ${name} ${isOn ? 'reset (autovacuum_enabled)' : 'set (autovacuum_enabled = off)'}`,
      );
  }

  /** @param {string} table also of all its partitions */
  async bytesOf(table) {
    const { rows } = await this.client.query(
      `select coalesce(sum(pg_total_relation_size(relid)), 0)::float8 as bytes from pg_partition_tree($1)
       where isleaf`,
      [table],
    );
    return rows[0].bytes;
  }

  /** Number of queued messages, including messages in progress. */
  async waiting() {
    const { rows } = await this.client.query('select count(*)::int as n from outbox_message');
    return rows[0].n;
  }

  /** Whether the outcome of each record is committed. Other work may wait: logs are sealed beside it. */
  async isAllForwarded() {
    const { rows } = await this.client.query(
      `select 1 from outbox_message where topic = 'consent.recorded' limit 1`,
    );
    return rows.length === 0;
  }

  /** The server's clock. */
  async now() {
    const { rows } = await this.client.query('select now()');
    return /** @type {Date} */ (rows[0].now);
  }

  /**
   * Whether everything that a record brings with it is done for those received before an instant: sent where they are
   * sent, sealed and signed, counted.
   * @param {Date} instant
   */
  async isAllDone(instant) {
    const { rows } = await this.client.query(
      `select (select at from sequencer_cursor) >= $1 and not exists (select from evidence_log where checkpoint_size < size)
              and (select done_until from consent_rollup_state) >= $1 as done`,
      [instant],
    );
    return rows[0].done && (await this.isAllForwarded());
  }

  /** Excludes all stored records from sealing, so that one round leaves nothing to the next. */
  async skipSealing() {
    await this.client.query(
      `update sequencer_cursor set at = now(), after_xid = pg_snapshot_xmin(pg_current_snapshot())::text::bigint,
         after_project_id = default, after_id = default, after_is_erasure = default`,
    );
  }

  /** Deletes queued messages, so that one round leaves nothing to the next. */
  async emptyOutbox() {
    await this.client.query('delete from outbox_message');
    await this.client.query('vacuum outbox_message');
  }
}

/**
 * Starts a separate PostgreSQL with the settings that the service would use.
 * @param {import('./scope.mjs').Scope} scope
 */
export async function startDatabase(scope) {
  const server = await startEmbeddedPostgres(join(scope.folder, 'postgres'));
  scope.defer(() => server.stop());
  // One role for everything: benchmarks make databases, vacuum and truncate on the same connection.
  return connectTo(server.superuserUrl, scope);
}

/**
 * @param {string} url
 * @param {import('./scope.mjs').Scope} scope
 */
async function connectTo(url, scope) {
  const client = new Client({ connectionString: url });
  await client.connect();
  client.on('error', () => {});
  scope.defer(() => client.end());
  return new Database(url, client, scope);
}
