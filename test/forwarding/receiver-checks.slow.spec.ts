import { execFile } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type SignerKey, createSigner, signNote } from '../../src/modules/evidence/domain/signed-note.js';
import { resolveBaseUrl } from '../../src/platform/network/base-url.js';
import { memoryLog } from '../support/database/memory-log.js';
import { isThere } from '../support/programs/is-there.js';
import { choose, createForwardingProject } from '../support/programs/pipeline.js';
import type { TestProject } from '../support/people/project.js';
import {
  makeTestAuthority,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../support/fakes/receiver.js';
import { runEvidence } from '../support/programs/run-ops.js';
import { pinHorizon } from '../support/database/evidence-steps.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const CHECKS = [
  { title: 'Node', file: 'receiver-check.mjs', command: process.execPath, needs: ['--version'] },
  {
    title: 'Python',
    file: 'receiver-check.py',
    command: 'python3',
    needs: ['-c', 'import cryptography'],
  },
  { title: 'PHP', file: 'receiver-check.php', command: 'php', needs: ['--version'] },
];
const RUNNABLE = CHECKS.filter(({ command, needs }) => isThere(command, needs));
const SEED = randomBytes(32);
/** Checkpoints, of different sizes, that the receiver gets to hold, and records that have one; the first have none. */
const CHECKPOINTS_MIN = 2;
const SEALED_MIN = 4;

/** Names out of their order in bytes of UTF-8, every kind of number, and what JSON escapes or need not. */
const AWKWARD = {
  '\u{1F600}': 'astral, which comes before U+FB33 in UTF-16',
  '\uFB33': 'and this behind it',
  é: 'ünï € \u2028 \u2029 \u007f \u0080 </script> / \\ " \b\f\n\r\t\u0001\u001f',
  numbers: [
    1e21, 1e20, 123456789012345680000, 1e-7, 0.000001, 0.1, -0, -1.5, 9007199254740992, 1.5e300, 5e-324, 10,
  ],
  texts: ['1e21', '-0', 'a "1.0" in it: \\', '', ' 12 '],
  empty: [{}, [], '', null, true, false],
  '10': 'a name of digits',
  '9': 'another one',
  '': 'no name',
  A: { b: { c: [{ z: 1, a: 2 }] } },
};

interface Held {
  id: string;
  projectId: string;
  evidence: { salt: string; commitment: string; checkpoint: string | null };
}

let authority: TestAuthority;
let receiver: Receiver;
let service: TestService;
let releaseHorizon: () => Promise<void>;
let project: TestProject;
/** The receiver's archive, in its raw form. */
let archive: string;
let keys: string;

beforeAll(async () => {
  authority = await makeTestAuthority();
  receiver = await startReceiver(authority.authority);
  service = await startTestService({
    RUN_WORKER: 'true',
    EVIDENCE_KEYS: `e1:${SEED.toString('base64')}`,
    EVIDENCE_SEAL_SECONDS: '1',
    FORWARDING_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}`,
    FORWARDING_EXTRA_CA_FILE: authority.caFile,
  });
  releaseHorizon = pinHorizon(service);
  project = await createForwardingProject(service, receiver.url);
  let chosen = 4;
  for (let n = 0; n < chosen; n++) await choose(service, project.id, AWKWARD);
  await until('the receiver holds checkpoints of several sizes', async () => {
    await choose(service, project.id, { n: receiver.requests.length });
    chosen += 1;
    await releaseHorizon();
    await new Promise((later) => setTimeout(later, 300));
    const checkpoints = held().flatMap(({ evidence }) => evidence.checkpoint ?? []);
    return checkpoints.length >= SEALED_MIN && new Set(checkpoints).size >= CHECKPOINTS_MIN;
  });
  await until('all have arrived', () => receiver.requests.length === chosen);
  archive = mkdtempSync(join(tmpdir(), 'consent-archive-'));
  mkdirSync(join(archive, 'records'));
  for (const { body } of receiver.requests)
    writeFileSync(join(archive, 'records', `${(JSON.parse(body) as Held).id}.json`), body);
  keys = await (await fetch(`${service.baseUrl}/.well-known/consent-log-keys`)).text();
});
afterAll(async () => {
  await service.close();
  await receiver.close();
  authority.remove();
  rmSync(archive, { recursive: true, force: true });
});

const held = (): Held[] => receiver.requests.map(({ body }) => JSON.parse(body) as Held);
const sizeOf = (note: string): number => Number(note.split('\n')[1]);
const checkpointSize = ({ evidence }: Held): number => sizeOf(evidence.checkpoint ?? '\n0');

it('runs the check in Node everywhere', () => {
  const page = readFileSync('docs/receiver.md', 'utf8');
  for (const { file } of CHECKS) expect(page).toContain(`](samples/${file})`);
  expect(RUNNABLE.map(({ title }) => title)).toContain('Node');
});

describe.each(RUNNABLE.map((check) => [check.title, check] as const))('the check in %s', (_title, check) => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'consent-check-'));
    cpSync(archive, folder, { recursive: true });
    writeFileSync(join(folder, 'keys.txt'), keys);
    cpSync(join('docs', 'samples', check.file), join(folder, check.file));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const run = (apiKey = project.keys.viewer): Promise<{ code: number; output: string }> =>
    runCheck(folder, check, apiKey);
  /** Changes one of the records that have a checkpoint; the first of them is the one with the smallest. */
  function change(at: number, alter: (record: Held) => void): Held {
    const record = held()
      .filter(({ evidence }) => evidence.checkpoint !== null)
      .toSorted((one, other) => checkpointSize(one) - checkpointSize(other))
      .at(at);
    if (!record) throw new Error('there is no such record');
    alter(record);
    writeFileSync(join(folder, 'records', `${record.id}.json`), JSON.stringify(record));
    return record;
  }
  it('accepts what the service has sent, the awkward record too', async () => {
    const records = held();
    const notes = new Set(records.flatMap(({ evidence }) => evidence.checkpoint ?? []));
    const largest = Math.max(...[...notes].map(sizeOf));
    expect(await run()).toEqual({
      code: 0,
      output: `ok    ${records.length} records of ${largest} entries, ${notes.size} checkpoints\n`,
    });
  });

  it('names each record that was changed', async () => {
    const changed = [
      change(0, (record) => Object.assign(record, { marketing: true })),
      change(1, (record) => Object.assign(record, { added: 1 })),
      change(2, ({ evidence }) => (evidence.salt = Buffer.alloc(32).toString('base64'))),
    ];
    const bare = change(3, (record) => Reflect.deleteProperty(record, 'evidence'));
    const { code, output } = await run();
    expect(code).toBe(1);
    expect(output.split('\n').toSorted()).toEqual(
      [
        '',
        `WRONG ${bare.id}.json: was stored while nothing was sealed`,
        ...changed.map(({ id }) => `WRONG ${id}.json: is not the record of its commitment`),
      ].toSorted(),
    );
  });

  it('names each record whose checkpoint was changed', async () => {
    const alterations: ((note: string) => string)[] = [
      (note) => note.replace(/\n(\d+)\n/, (_line, size: string) => `\n${Number(size) + 1}\n`),
      (note) => note.replace('kept-from 2', 'kept-from 1'),
      (note) => note.replace(/.{10}(=*)\n$/, 'AAAAAAAAAA$1\n'),
      // The log of another project, whose signature may be right.
      (note) => note.replace(/\/[0-9a-f-]{36}\n/, '/00000000-0000-0000-0000-000000000000\n'),
    ];
    const changed = alterations.map((alter, at) =>
      change(at, ({ evidence }) => (evidence.checkpoint = alter(evidence.checkpoint ?? ''))),
    );
    const { code, output } = await run();
    expect(code).toBe(1);
    expect(output.split('\n').toSorted()).toEqual(
      [
        '',
        ...changed.map(({ id }) => `WRONG ${id}.json: has a checkpoint without a signature of ours`),
      ].toSorted(),
    );
  });

  it('names each record whose checkpoint has a wrong signature of ours beside the right one', async () => {
    const changed = [0, 1].map((at) =>
      change(at, ({ evidence }) => {
        const note = evidence.checkpoint ?? '';
        const [origin = ''] = note.split('\n');
        const key = keyOf(origin);
        const [, wrong = ''] = signNote(`${origin}\n`, [key]).split('\n\n');
        const stranger =
          signNote(`${origin}\n`, [createSigner('witness.example', SEED)]).split('\n\n')[1] ?? '';
        // The signature of an unknown key is ignored.
        evidence.checkpoint =
          at === 0 ? `${note}${stranger}${wrong}` : note.replace(/— /, () => `${wrong}— `);
      }),
    );
    const { code, output } = await run();
    expect(code).toBe(1);
    expect(output.split('\n').toSorted()).toEqual(
      [
        '',
        ...changed.map(({ id }) => `WRONG ${id}.json: has a checkpoint without a signature of ours`),
      ].toSorted(),
    );
  });

  it('names each record that is not spelled as it was sent', async () => {
    const spellings: ((body: string) => string)[] = [
      (body) => body.replace('"analytics":', '"analytics":false,"analytics":'),
      (body) => body.replace('"evidence":', '"evidence":null,"evidence":'),
      (body) => body.replace('"salt":', '"salt":"","salt":'),
      (body) => body.replace(':', ': '),
      (body) => `${body}\n`,
      (body) => `\ufeff${body}`,
      (body) => body.replace('9007199254740992', '9007199254740993'),
      (body) => body.replace('"custom"', String.raw`"\u0063ustom"`),
    ];
    const awkward = receiver.requests
      .map(({ body }) => body)
      .filter((body) => body.includes('9007199254740992'));
    for (const [at, spell] of spellings.entries()) {
      const body = awkward[at % awkward.length] ?? '';
      const { id } = JSON.parse(body) as Held;
      const file = join(folder, 'records', `${id}.json`);
      expect(spell(body)).not.toBe(body);
      writeFileSync(file, spell(body));
      const { code, output } = await run();
      expect({ at, code, output }).toEqual({
        at,
        code: 1,
        output: expect.stringMatching(`^WRONG ${id}\\.json: .*\n$`),
      });
      expect(output).not.toContain('Traceback');
      writeFileSync(file, body);
    }
  });

  it('ignores keys of an unknown kind', async () => {
    const unknown = Buffer.concat([Buffer.of(6), randomBytes(48)]).toString('base64');
    writeFileSync(join(folder, 'keys.txt'), `consent.example+0badc0de+${unknown}\n${keys}`);
    expect((await run()).code).toBe(0);
  });

  it('notices another history of the same size, signed with our own key', async () => {
    const { evidence } = change(1, (record) => {
      const note = record.evidence.checkpoint ?? '';
      record.evidence.checkpoint = forkOf(note, sizeOf(note));
    });
    const { code, output } = await run();
    expect(code).toBe(1);
    const size = sizeOf(evidence.checkpoint ?? '');
    expect(output).toMatch(new RegExp(`^WRONG ${size} to \\d+ of \\S+: are not of one history$`, 'm'));
  });

  it('notices another history that goes on from no size that it knows', async () => {
    const sizes = held().flatMap(({ evidence: { checkpoint } }) =>
      checkpoint === null ? [] : sizeOf(checkpoint),
    );
    const between = Array.from({ length: Math.max(...sizes) }, (_none, at) => at + 1).find(
      (size) => size > 1 && !sizes.includes(size),
    );
    change(1, (record) => {
      record.evidence.checkpoint = forkOf(record.evidence.checkpoint ?? '', between ?? 0);
    });
    const { code, output } = await run();
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^WRONG ${between} to \\d+ of \\S+: are not of one history$`, 'm'));
    expect(output).not.toContain('Traceback');
  });

  it('notices a log that was shortened, and a service that does not answer', async () => {
    const largest = Math.max(...held().map(checkpointSize));
    change(1, ({ evidence }) => (evidence.checkpoint = forkOf(evidence.checkpoint ?? '', 10_000)));
    expect((await run()).output).toMatch(
      new RegExp(`^WRONG ${largest} to 10000 of \\S+: the service answered 404$`, 'm'),
    );
    const refused = await run('no-key');
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('the service answered 401');
  });
});

describe('a log that continues another one', () => {
  const epochOf = ({ evidence }: Held): number => {
    const [origin = ''] = (evidence.checkpoint ?? '').split('\n');
    return Number(/[/](\d+)$/.exec(origin)?.[1] ?? (evidence.checkpoint === null ? 0 : 1));
  };
  let records: string;
  beforeAll(async () => {
    const done = await runEvidence(
      service,
      {
        keys: `e1:${SEED.toString('base64')}`,
        environment: { PUBLIC_BASE_URL: resolveBaseUrl(service.settings.service) },
      },
      ['continue', '--project', project.id, '--reason', 'The storage was lost.'],
    );
    expect(done).toMatchObject({ code: 0, err: '' });
    await until('the receiver holds checkpoints of the new log', async () => {
      await choose(service, project.id, { n: receiver.requests.length });
      await releaseHorizon();
      await new Promise((later) => setTimeout(later, 300));
      const notes = held().flatMap((each) => (epochOf(each) === 2 ? (each.evidence.checkpoint ?? []) : []));
      return new Set(notes).size >= CHECKPOINTS_MIN;
    });
    records = mkdtempSync(join(tmpdir(), 'consent-continued-'));
    for (const { body } of receiver.requests)
      writeFileSync(join(records, `${(JSON.parse(body) as Held).id}.json`), body);
  });
  afterAll(() => rmSync(records, { recursive: true, force: true }));

  describe.each(RUNNABLE.map((check) => [check.title, check] as const))('in %s', (_title, check) => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'consent-check-'));
      cpSync(records, join(folder, 'records'), { recursive: true });
      writeFileSync(join(folder, 'keys.txt'), keys);
      cpSync(join('docs', 'samples', check.file), join(folder, check.file));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));
    const run = (): Promise<{ code: number; output: string }> => runCheck(folder, check, project.keys.viewer);
    const change = (epoch: number, alter: (note: string) => string): void => {
      const record = held().find((each) => epochOf(each) === epoch);
      if (!record) throw new Error('there is no such record');
      record.evidence.checkpoint = alter(record.evidence.checkpoint ?? '');
      writeFileSync(join(folder, 'records', `${record.id}.json`), JSON.stringify(record));
    };

    it('holds, and the owner reads that a new log began', async () => {
      const { code, output } = await run();
      const { host } = new URL(resolveBaseUrl(service.settings.service));
      expect({ code, lines: output.split('\n') }).toEqual({
        code: 0,
        lines: [
          `note  ${host}/${project.id}/2 is a new log: check its statement`,
          expect.stringMatching(/^ok {4}\d+ records of \d+ entries, \d+ checkpoints$/),
          '',
        ],
      });
    });

    it.each([1, 2])('is held to its own history: a fork of log %i is noticed', async (epoch) => {
      change(epoch, (note) => forkOf(note, sizeOf(note)));
      const { code, output } = await run();
      expect(code).toBe(1);
      expect(output).toMatch(
        new RegExp(`^WRONG \\d+ to \\d+ of \\S+${project.id}${epoch === 2 ? '/2' : ''}: are not of one`, 'm'),
      );
    });

    it('leaves what the former log has lost to its statement, and nothing of the newest', async () => {
      change(1, (note) => forkOf(note, 10_000));
      const lost = await run();
      expect(lost).toMatchObject({ code: 0 });
      expect(lost.output).toMatch(
        new RegExp(`^note {2}\\d+ to 10000 of \\S+${project.id}: the service has lost them`, 'm'),
      );
      change(2, (note) => forkOf(note, 10_000));
      const { code, output } = await run();
      expect(code).toBe(1);
      expect(output).toMatch(new RegExp(`^WRONG \\d+ to 10000 of \\S+/2: the service answered 404$`, 'm'));
    });

    it.each(['/1', '/0', '/02', '/x', '/2/3', '2'])('has no origin that ends in %s', async (end) => {
      change(1, (note) => {
        const [origin = '', ...rest] = note.slice(0, note.lastIndexOf('\n\n') + 1).split('\n');
        return signNote([origin + end, ...rest].join('\n'), [keyOf(origin)]);
      });
      const { code, output } = await run();
      expect(code).toBe(1);
      expect(output).toMatch(/^WRONG \S+: has a checkpoint without a signature of ours$/m);
    });
  });
});

/** Runs a check in a folder, as its page says. */
function runCheck(
  folder: string,
  check: (typeof CHECKS)[number],
  apiKey: string,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'], CONSENT_URL: service.baseUrl, CONSENT_KEY: apiKey };
    execFile(check.command, [check.file], { cwd: folder, env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });
}

/** Our key for an origin. */
function keyOf(origin: string): SignerKey {
  return createSigner(origin.slice(0, origin.indexOf('/')), SEED);
}

/** A checkpoint signed by our key, over entries that were never in the log. */
function forkOf(note: string, size: number): string {
  const [origin = ''] = note.split('\n');
  const entries = Array.from({ length: size }, (_none, at) => hash('sha256', `entry ${at}`, 'buffer'));
  return memoryLog(origin, entries, keyOf(origin)).checkpoint;
}
