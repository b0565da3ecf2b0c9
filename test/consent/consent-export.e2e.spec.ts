import { request as httpRequest } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { parse } from 'csv-parse/sync';
import { getDocumentProxy, extractText } from 'unpdf';
import { Client } from 'pg';
import { EXPORTS_PER_ACCOUNT_MAX } from '../../src/platform/export/export-permits.js';
import { ExportProgress, READ_BYTES_PER_SECOND_MIN } from '../../src/platform/export/export-progress.js';
import { ConsentExport } from '../../src/modules/consent/application/consent-export.js';
import { recordsPdf } from '../../src/modules/consent/http/records-page.js';
import { PdfRenderer } from '../../src/platform/pdf/pdf-renderer.js';
import { newId, uuidLowerBound } from '../../src/platform/identity/ids.js';
import { storeConsent } from '../support/people/consent.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const COLUMNS = [
  'id',
  'receivedAt',
  'analytics',
  'marketing',
  'preferences',
  'action',
  'hostname',
  'configHash',
  'language',
  'surface',
  'additionalFields',
  'services',
  'givenAt',
  'importId',
  'originalId',
];

describe('export of records (spec §8: CSV / PDF export)', () => {
  let service: TestService;
  let project: TestProject;

  beforeAll(async () => {
    service = await startTestService();
    project = await createTestProject(service, { tier: 'pro' });
  });
  afterAll(() => service.close());

  const post = async (body: object, projectId = project.id): Promise<string> => {
    const response = await fetch(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        analytics: true,
        marketing: false,
        preferences: true,
        action: 'custom',
        ...body,
      }),
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { id: string }).id;
  };
  const many = (projectId: string, count: number): Promise<unknown> =>
    service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname)
       select $1, (substr($2::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, true, true, false, 'accept_all', 'www.example.com'
       from generate_series(1, $3::int) n`,
      [projectId, uuidLowerBound(new Date()), count],
    );
  const csv = async (of: TestProject, query = ''): Promise<string[][]> => {
    const response = await of.request('viewer', 'GET', `/consents/export?format=csv${query}`);
    expect(response.status).toBe(200);
    return parse(await response.text());
  };

  it('has the fixed columns, the oldest record first, with additional fields and services as JSON', async () => {
    const first = await post({
      hostname: 'www.example.com',
      configHash: 'c'.repeat(64),
      language: 'de-CH',
      surface: 'link',
      note: 'a "quoted", text\nin two lines',
      list: [1, 2],
    });
    const services = { matomo: true, video: false };
    const second = await post({ analytics: false, preferences: false, services });
    const response = await project.request('viewer', 'GET', '/consents/export?format=csv');
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toMatch(
      /^attachment; filename="consents-\d{4}-\d\d-\d\d\.csv"$/,
    );
    const [header, ...rows] = parse(await response.text()) as string[][];
    expect(header).toEqual(COLUMNS);
    expect(rows.map((row) => row[0])).toEqual([first, second]);
    expect(rows[0]?.slice(2, 7)).toEqual(['true', 'false', 'true', 'custom', 'www.example.com']);
    expect(rows[0]?.[1]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(rows[0]?.slice(7, 10)).toEqual(['c'.repeat(64), 'de-CH', 'link']);
    expect(JSON.parse(rows[0]?.[10] ?? '')).toEqual({ note: 'a "quoted", text\nin two lines', list: [1, 2] });
    expect(rows[1]?.slice(7, 11)).toEqual(['', '', '', '']);
    expect(rows.map((row) => row[11] && (JSON.parse(row[11]) as object))).toEqual(['', services]);
    expect(rows[1]?.slice(12)).toEqual(['', '', '']);
  });

  it('begins with a byte order mark only where one is asked for', async () => {
    const bytes = async (query: string): Promise<Buffer> =>
      Buffer.from(
        await (await project.request('viewer', 'GET', `/consents/export?format=csv${query}`)).arrayBuffer(),
      );
    expect((await bytes('&bom=true')).subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect((await bytes('')).subarray(0, 5).toString()).toBe('"id",');
  });

  it('is a header alone for a project without records', async () => {
    expect(await csv(await createTestProject(service, { tier: 'business' }))).toEqual([COLUMNS]);
  });

  it('exports the period that is asked for, its end left out', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    await post({}, other.id);
    const [, row] = await csv(other);
    const receivedAt = row?.[1] ?? '';
    expect(await csv(other, `&from=${receivedAt}`)).toHaveLength(2);
    expect(await csv(other, `&to=${receivedAt}`)).toHaveLength(1);
  });

  it('starts no formula in a spreadsheet, wherever it splits the line', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    const starts = ['=', '+', '-', '@', '\t', '\r', '\uff1d', '\uff0b', '\uff0d', '\uff20'];
    const extra = Object.fromEntries(
      starts.flatMap((start, n) => [
        [`plain${n}`, `${start}1+1`],
        [`split${n}`, `;${start}cmd|' /C calc'!A0`],
      ]),
    );
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, extra)
       values ($1, $2, true, true, false, 'custom', $3)`,
      [other.id, newId(), JSON.stringify(extra)],
    );
    const response = await other.request('viewer', 'GET', '/consents/export?format=csv');
    const text = await response.text();
    const [, row] = parse(text) as string[][];
    // Nothing is lost: a reader that parses the file gets the original JSON.
    expect(JSON.parse(row?.[10] ?? '')).toEqual(extra);
    const cells = [',', ';', '\t'].flatMap((separator) =>
      text.split('\r\n').flatMap((line) => line.split(separator)),
    );
    expect(
      cells.filter((cell) => /^[\s"']*[=+\-@\uff0b\uff0d\uff1d\uff20]/.test(cell) && !cell.startsWith('"\'')),
    ).toEqual([]);
    // Every cell is quoted, empty ones too.
    for (const line of text.trimEnd().split('\r\n'))
      expect(line).toMatch(/^"(?:[^"]|"")*"(?:,"(?:[^"]|"")*")*$/);
  });

  it('starts no formula with a column of text, should one that begins like it ever be stored', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    const starts = ['=', '+', '-', '@', '\t', '\uff1d', '\uff0b', '\uff0d', '\uff20'];
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, hostname)
       select $1, id, true, true, false, 'custom', hostname from unnest($2::uuid[], $3::text[]) as r (id, hostname)`,
      [other.id, starts.map(() => newId()), starts.map((start) => `${start}1+1`)],
    );
    const [, ...rows] = await csv(other);
    expect(rows.map((row) => row[6])).toEqual(starts.map((start) => `'${start}1+1`));
  });

  it('goes on over many batches without losing or doubling a row', async () => {
    const other = await createTestProject(service, { tier: 'enterprise' });
    await many(other.id, 10_001);
    const [, ...rows] = await csv(other);
    expect(rows).toHaveLength(10_001);
    expect(new Set(rows.map((row) => row[0])).size).toBe(10_001);
  });

  it.each(['csv', 'pdf'])('refuses a %s whose first read fails, and sends no part of it', async (format) => {
    await service.database.query('alter table consent_record rename to consent_record_away');
    try {
      const refused = await project.request('viewer', 'GET', `/consents/export?format=${format}`);
      expect([refused.status, await refused.json()]).toMatchObject([500, { code: 'internal_error' }]);
    } finally {
      await service.database.query('alter table consent_record_away rename to consent_record');
    }
  });

  it('is broken off where a later read fails, and fails nothing else', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    await many(other.id, 6_001);
    const batches = await service.app.get(ConsentExport, { strict: false }).begin({
      projectId: other.id,
      from: new Date(0),
      to: new Date(Date.now() + 60_000),
    });
    const sizeOf = async (): Promise<number | undefined> => (await batches.next()).value?.length;
    expect(await sizeOf()).toBe(2_000);
    let unhandled = 0;
    const note = (): void => void (unhandled += 1);
    process.on('unhandledRejection', note);
    const holder = new Client({ connectionString: service.database.ownerUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('lock table consent_record in access exclusive mode');
    // The third batch is read while the second one is in use, and its read fails before anybody waits for it.
    expect(await sizeOf()).toBe(2_000);
    try {
      await until('the read waits, and is ended', async () => {
        const ended = await service.database.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'consent-service export' and wait_event_type = 'Lock' and datname = current_database()`,
        );
        return ended.length === 1;
      });
    } finally {
      await holder.end();
    }
    await sleep(500);
    process.off('unhandledRejection', note);
    expect(unhandled).toBe(0);
    await expect(batches.next()).rejects.toThrow('terminating connection');
    expect(await csv(other)).toHaveLength(6_002);
  });

  it('stops reading when the client goes away, and gives its place back', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    await many(other.id, 60_000);
    const { error } = Logger.prototype;
    const errors: unknown[] = [];
    Logger.prototype.error = (...given: unknown[]) => void errors.push(given);
    for (let n = 0; n < 6; n++) {
      await new Promise<void>((done, fail) => {
        const path = `/v1/projects/${other.id}/consents/export?format=csv`;
        const request = httpRequest(service.baseUrl + path, {
          headers: { authorization: `Bearer ${other.keys.viewer}` },
        });
        request.on('response', (response) => {
          response.once('data', () => response.destroy());
          response.on('close', () => done());
          response.on('error', () => undefined);
        });
        request.on('error', fail);
        request.end();
      });
    }
    const status = async (): Promise<number> => {
      const response = await other.request('viewer', 'GET', '/consents/export?format=csv&to=2001-01-01');
      await response.arrayBuffer();
      return response.status;
    };
    await until('a place is free again', async () => (await status()) === 200);
    await until('no export query runs', async () => {
      const running = await service.database.query(
        `select 1 from pg_stat_activity where application_name = 'consent-service export' and state = 'active' and datname = current_database()`,
      );
      return running.length === 0;
    });
    // Everybody may leave at any time, so that is no error.
    Logger.prototype.error = error;
    expect(errors).toEqual([]);
  });

  describe('many exports at once', () => {
    const EXPORTS_BEFORE = 4;
    /** More than the connection and its buffers hold, so that a stopped reader is noticed. */
    const heavy = (projectId: string): Promise<unknown> =>
      service.database.query(
        `insert into consent_record (project_id, id, analytics, marketing, preferences, action, extra)
         select $1, (substr($2::text, 1, 24) || lpad(to_hex(n), 12, '0'))::uuid, true, true, false, 'accept_all',
                jsonb_build_object('filling', repeat('x', 3000))
         from generate_series(1, 12000) n`,
        [projectId, uuidLowerBound(new Date())],
      );
    interface Reader {
      status: number;
      /** How the answer ended; null while it has not. */
      ended(): 'whole' | 'broken' | null;
      close(): void;
    }
    /** Starts an export, reads its head, and then `bytesPerSecond`. */
    const stall = (of: TestProject, bytesPerSecond = 0): Promise<Reader> =>
      new Promise((begun, fail) => {
        const request = httpRequest(`${service.baseUrl}/v1/projects/${of.id}/consents/export?format=csv`, {
          headers: { authorization: `Bearer ${of.keys.viewer}` },
          agent: false,
        });
        let ended: 'whole' | 'broken' | null = null;
        request.on('response', (response) => {
          response.pause();
          response.on('error', () => (ended = 'broken'));
          response.socket.on('close', () => (ended ??= response.complete ? 'whole' : 'broken'));
          if (bytesPerSecond > 0) {
            const reading = setInterval(() => response.read(bytesPerSecond / 10), 100);
            response.socket.on('close', () => clearInterval(reading));
          }
          begun({ status: response.statusCode ?? 0, ended: () => ended, close: () => request.destroy() });
        });
        request.on('error', fail);
        request.end();
      });

    let progress: ExportProgress;
    beforeAll(() => {
      progress = service.app.get(ExportProgress, { strict: false });
      expect([progress.stallMs, progress.longestMs]).toEqual([30_000, 1_800_000]);
    });
    afterEach(() => {
      progress.stallMs = 30_000;
      progress.longestMs = 1_800_000;
    });

    it('of clients that do not read leave the others theirs', async () => {
      const stalled: Reader[] = [];
      for (let n = 0; n < EXPORTS_BEFORE; n++) {
        const of = await createTestProject(service, { tier: 'pro' });
        await heavy(of.id);
        stalled.push(await stall(of));
      }
      expect(stalled.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      const other = await createTestProject(service, { tier: 'pro' });
      await post({}, other.id);
      expect(await csv(other)).toHaveLength(2);
      for (const { close } of stalled) close();
    });

    it("of one project are refused with 429, so that it takes nobody else's place", async () => {
      const of = await createTestProject(service, { tier: 'pro' });
      await heavy(of.id);
      const first = await stall(of);
      const [second, third] = await Promise.all([
        of.request('viewer', 'GET', '/consents/export?format=csv'),
        of.request('viewer', 'GET', '/consents/export?format=csv'),
      ]);
      expect([second.status, third.status]).toEqual([429, 429]);
      expect(second.headers.get('retry-after')).toBe('10');
      first.close();
      await until('its place is free', async () => {
        const response = await of.request('viewer', 'GET', '/consents/export?format=csv&to=2001-01-01');
        return response.status === 200;
      });
    });

    it('of one account are bounded together, API keys included', async () => {
      const [owner] = await service.database.query<{ id: string }>(
        `insert into app_user (id, name, email, email_verified) values ($1, 'A', 'many@example.com', true) returning id`,
        [newId()],
      );
      const projects: TestProject[] = [];
      for (let n = 0; n < EXPORTS_PER_ACCOUNT_MAX + 1; n++) {
        const of = await createTestProject(service, { tier: 'pro' });
        await service.database.query(
          `insert into project_member (project_id, user_id, role) values ($1, $2, 'owner')`,
          [of.id, owner?.id],
        );
        projects.push(of);
      }
      const [last, ...stalling] = projects as [TestProject, ...TestProject[]];
      const stalled: Reader[] = [];
      for (const of of stalling) {
        await heavy(of.id);
        stalled.push(await stall(of));
      }
      const response = await last.request('viewer', 'GET', '/consents/export?format=csv');
      expect([response.status, response.headers.get('retry-after')]).toEqual([429, '10']);
      expect(await response.json()).toMatchObject({
        detail: expect.stringContaining(
          `At most ${EXPORTS_PER_ACCOUNT_MAX} of these can run at once per account.`,
        ),
      });
      expect(await csv(await createTestProject(service, { tier: 'pro' }))).toHaveLength(1);
      for (const { close } of stalled) close();
    });

    it('that are read steadily but too slowly are broken off', async () => {
      progress.stallMs = 1_000;
      const of = await createTestProject(service, { tier: 'pro' });
      await heavy(of.id);
      const reader = await stall(of, READ_BYTES_PER_SECOND_MIN / 4);
      await until('its permit is free', async () => {
        const response = await of.request('viewer', 'GET', '/consents/export?format=csv&to=2001-01-01');
        return response.status === 200;
      });
      reader.close();
      await until('it ended', () => reader.ended());
      expect(reader.ended()).toBe('broken');
    });

    it.each(['stallMs', 'longestMs'] as const)(
      'are broken off after %s, and give their place back',
      async (limit) => {
        // The head of the answer has to be there before.
        progress[limit] = 1_000;
        const of = await createTestProject(service, { tier: 'pro' });
        await heavy(of.id);
        const reader = await stall(of);
        await until('a place is free', async () => {
          const response = await of.request('viewer', 'GET', '/consents/export?format=csv&to=2001-01-01');
          return response.status === 200;
        });
        reader.close();
        await until('it ended', () => reader.ended());
        expect(reader.ended()).toBe('broken');
      },
    );

    it('that are slow because we are have their time', async () => {
      progress.stallMs = 100;
      const of = await createTestProject(service, { tier: 'pro' });
      await post({}, of.id);
      const blocker = new Client({ connectionString: service.database.url });
      await blocker.connect();
      await blocker.query('begin; lock table consent_record in access exclusive mode');
      const asked = csv(of);
      await new Promise((wake) => setTimeout(wake, 500));
      await blocker.query('commit');
      await blocker.end();
      expect(await asked).toHaveLength(2);
    });
  });

  it.each([
    ['action=reject_all', 1],
    ['hostname=B.example', 1],
    ['analytics=false', 1],
    ['marketing=true&preferences=true', 1],
    ['preferences=true', 2],
    ['action=accept_all&analytics=false', 0],
    [`configHash=${'d'.repeat(64)}`, 1],
    ['language=EN-gb&surface=signal', 1],
    ['language=en', 0],
  ])('exports what the filter %s of the list finds', async (query, found) => {
    const other = await createTestProject(service, { tier: 'pro' });
    const shown = { configHash: 'd'.repeat(64), language: 'en-GB', surface: 'signal' };
    await post({ action: 'accept_all', marketing: true, hostname: 'a.example', ...shown }, other.id);
    await post({ action: 'reject_all', analytics: false, hostname: 'b.example' }, other.id);
    const [, ...rows] = await csv(other, `&${query}`);
    const listed = (await (await other.request('viewer', 'GET', `/consents?${query}`)).json()) as {
      items: { id: string }[];
    };
    expect(rows.map(([id]) => id).toSorted()).toEqual(listed.items.map(({ id }) => id).toSorted());
    expect(rows).toHaveLength(found);
    const pdf = await getDocumentProxy(
      new Uint8Array(
        await (await other.request('viewer', 'GET', `/consents/export?format=pdf&${query}`)).arrayBuffer(),
      ),
    );
    const { text } = await extractText(pdf);
    expect(text[0]).toMatch(new RegExp(`Records\\s+${found}\\s`));
    expect(text[0]).not.toContain('None: all choices');
    if (query.startsWith('configHash')) expect(text[0]).toContain('UK English');
  });

  it('finds the few that a filter matches among many, over several looks', async () => {
    const other = await createTestProject(service, { tier: 'enterprise' });
    const first = await storeConsent(service, other.id, { action: 'needle' });
    await many(other.id, 120_000);
    await new Promise((wake) => setTimeout(wake, 5));
    const last = await storeConsent(service, other.id, { action: 'needle' });
    const [, ...rows] = await csv(other, '&action=needle');
    expect(rows.map(([id]) => id)).toEqual([first, last]);
  });

  it('is a PDF with a cover, a table and page numbers', async () => {
    const other = await createTestProject(service, { tier: 'pro', name: 'Bäckerei' });
    await many(other.id, 100);
    const response = await other.request('viewer', 'GET', '/consents/export?format=pdf');
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const pdf = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
    const { totalPages, text } = await extractText(pdf);
    expect(totalPages).toBe(5);
    expect(text[0]).toContain('Bäckerei');
    expect(text[0]).toMatch(/Records\s+100\s/);
    expect(text[0]).toMatch(/Accepted all\s+100\s+100%/);
    expect(text[0]).toContain('None: all choices, all hosts');
    text.forEach((page, index) => {
      expect(page).toContain(`Page ${index + 1} of 5`);
      expect(page).toContain('Service');
    });
    expect(text.join(' ').match(/Accepted all/g)).toHaveLength(101);
  });

  it('is a PDF in German with local times, the region and the version of the banner', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    const fields = { region: 'AT', bannerVersion: '7', secret: 'not shown' };
    await post(
      { action: 'custom', preferences: true, language: 'de', hostname: 'a.example', ...fields },
      other.id,
    );
    const path = '/consents/export?format=pdf&pdfLanguage=de&timeZone=Europe/Berlin';
    const response = await other.request('viewer', 'GET', path);
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(await response.arrayBuffer())));
    const shown = text.join(' ').replaceAll(/\s+/g, ' ');
    expect(shown).toContain('alle Zeiten in Mitteleuropäische Zeit');
    expect(shown).toMatch(/Angepasst \S+ \S+ Erlaubt a\.example Österreich Deutsch Version 7/);
    expect(shown).not.toContain('not shown');
    const refused = await other.request(
      'viewer',
      'GET',
      `${path}&pdfLanguage=fr`.replace('&pdfLanguage=de', ''),
    );
    expect(refused.status).toBe(422);
  });

  it('shows 5,000 records in a PDF and says where more are', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    await many(other.id, 5_001);
    const response = await other.request('viewer', 'GET', '/consents/export?format=pdf');
    const pdf = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()));
    const { text } = await extractText(pdf);
    expect(text[0]).toMatch(/Records\s+5,001\s/);
    expect(text[0]).toContain('CSV export');
    expect(text.join(' ').match(/Accepted all/g)).toHaveLength(5_001);
  });

  it('is a PDF that a thread draws, beside the one that answers visitors', async () => {
    const pdfs = service.app.get(PdfRenderer, { strict: false });
    const row = [
      'id',
      '2026-11-23T00:00:00.000Z',
      'true',
      'false',
      'true',
      'custom',
      'www.example.com',
      '',
      '',
      '',
    ];
    const cover = {
      projectName: 'A project',
      controller: { name: null, contact: null },
      filters: {},
      counts: null,
      records: 2_000,
      madeBy: null,
      timeZone: 'UTC',
      from: null,
      to: new Date(),
      madeAt: new Date(),
      ...({ first: 'oldest', whole: 'csv', language: 'en' } as const),
    };
    const batches = async function* (): AsyncGenerator<string[][]> {
      yield Array.from({ length: 2_000 }, () => row);
    };
    const [all, main] = [process.cpuUsage(), process.threadCpuUsage()];
    const { signal } = new AbortController();
    const pdf = await buffer(await recordsPdf(pdfs, { cover, batches: batches() }, signal));
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    expect(process.threadCpuUsage(main).user).toBeLessThan(process.cpuUsage(all).user / 2);
  });

  it('is asked for again where the thread that draws is late', async () => {
    const pdfs = service.app.get(PdfRenderer, { strict: false });
    const { options } = (pdfs as unknown as { threads: { options: { taskMaxMs: number } } }).threads;
    const { taskMaxMs } = options;
    options.taskMaxMs = 0;
    // On a busy machine the thread's answer may come before the timer.
    const late = await until('the thread is late', async () => {
      const response = await project.request('viewer', 'GET', '/consents/export?format=pdf');
      return response.status === 503 ? response : response.arrayBuffer().then(() => null);
    });
    options.taskMaxMs = taskMaxMs;
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await late.json()).toMatchObject({ code: 'overloaded' });
    expect((await project.request('viewer', 'GET', '/consents/export?format=pdf')).status).toBe(200);
  });

  it('is a PDF that says so where there are no records', async () => {
    const other = await createTestProject(service, { tier: 'pro' });
    const response = await other.request('viewer', 'GET', '/consents/export?format=pdf');
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(await response.arrayBuffer())));
    expect(text.join(' ')).toContain('No records in this period.');
  });

  it.each([
    '',
    'format=xml',
    'format=csv&from=x',
    'format=csv&from=2026-01-02&to=2026-01-01',
    'format=csv&bom=maybe',
    'format=csv&x=1',
  ])('refuses the query %j with 422', async (query) => {
    const response = await project.request('viewer', 'GET', `/consents/export?${query}`);
    expect(response.status).toBe(422);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });

  it('is refused to tier lite with 403', async () => {
    const lite = await createTestProject(service);
    const response = await lite.request('owner', 'GET', '/consents/export?format=csv');
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'tier_required', currentTier: 'lite' });
  });
});
