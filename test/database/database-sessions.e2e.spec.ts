import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Client } from 'pg';
import { sql } from 'kysely';
import { durabilityWarning } from '../../src/platform/database/pooler.js';
import { migrate } from '../../src/platform/database/migrate.js';
import { ormOptions } from '../../src/programs/orm-options.js';
import { createHttpApp } from '../../src/programs/http-app.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/standalone/embedded-postgres.js';
import { newId } from '../../src/platform/identity/ids.js';
import { CHOICE } from '../support/programs/pipeline.js';
import { createTestDatabase } from '../support/database/database.js';
import { closeApp, testSettings } from '../support/programs/service.js';
import { until } from '../support/until.js';

const RECORDS = 10;

async function queryOnce<Row>(url: string, text: string, values: unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

describe('a server whose administrator switched synchronous commits off', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let app: NestExpressApplication;

  const start = (): Promise<EmbeddedPostgres> =>
    // Flushes late, so that a commit without synchronous_commit is surely lost.
    startEmbeddedPostgres(join(folder, 'postgres'), { wal_writer_delay: '10s', autovacuum: 'off' });

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'consent-durable-'));
    chmodSync(folder, 0o755);
    server = await start();
    const orm = await MikroORM.init(ormOptions(server.ownerUrl));
    await migrate(orm, { ownerUrl: server.ownerUrl, runtimeUrl: server.databaseUrl });
    await orm.close();
    const { username } = new URL(server.databaseUrl);
    await queryOnce(server.superuserUrl, `alter role ${username} set synchronous_commit = off`);
    app = await createHttpApp(testSettings(server.databaseUrl));
    await app.listen(0, '127.0.0.1');
  });
  afterAll(async () => {
    await closeApp(app);
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('loses none of the acknowledged records when it crashes', async () => {
    const projectId = newId();
    await queryOnce(server.databaseUrl, `insert into project (id, name) values ($1, 'A project')`, [
      projectId,
    ]);
    await queryOnce(server.superuserUrl, 'checkpoint');
    const baseUrl = await app.getUrl();
    const acknowledged: string[] = [];
    for (let n = 0; n < RECORDS; n++) {
      const response = await fetch(`${baseUrl}/v1/projects/${projectId}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(CHOICE),
      });
      expect(response.status).toBe(201);
      acknowledged.push(((await response.json()) as { id: string }).id);
    }
    // The server's mode "immediate": no process writes any more.
    const pidFile = join(folder, 'postgres', 'data', 'postmaster.pid');
    process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGQUIT');
    await until(
      'the server is gone',
      () => !readdirSync(join(folder, 'postgres', 'data')).includes('postmaster.pid'),
    );
    server = await start();
    const rows = await queryOnce<{ id: string }>(
      server.databaseUrl,
      'select id from consent_record where project_id = $1',
      [projectId],
    );
    const stored = new Set(rows.map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  });
});

describe('every connection of the service', () => {
  it("asks for synchronous commits and what was committed before, and gives up a statement in time, the ORM's too", async () => {
    const database = await createTestDatabase();
    const { username } = new URL(database.url);
    try {
      const name = new URL(database.url).pathname.slice(1);
      for (const setting of ['synchronous_commit = off', "default_transaction_isolation = 'serializable'"])
        await database.query(`alter role ${username} in database ${name} set ${setting}`);
      const orm = await MikroORM.init(ormOptions(database.url));
      const { rows } = await sql`
        select current_setting('synchronous_commit') as commit, current_setting('statement_timeout') as timeout,
               current_setting('default_transaction_isolation') as isolation
      `.execute(orm.em.fork().getKysely());
      expect(rows).toEqual([{ commit: 'on', timeout: '30s', isolation: 'read committed' }]);
      await orm.close();
    } finally {
      await database.close();
    }
  });

  it('is opened in one place, which asks for both', () => {
    const opening = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .filter((file) => {
        const text = readFileSync(join('src', file), 'utf8');
        return /import .*\bPool\b.* from 'pg'/.test(text) && text.includes('new Pool(');
      });
    expect(opening).toEqual(['platform/database/postgres-pool.ts']);
  });

  it('tells the operator where the server itself does not write to the disk', async () => {
    // The tests' own server runs so.
    const database = await createTestDatabase();
    try {
      expect(await durabilityWarning(database.orm)).toContain('fsync=off');
    } finally {
      await database.close();
    }
  });
});
