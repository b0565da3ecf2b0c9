import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EraseRecords } from '../../src/modules/consent/application/erase-records.js';
import { committedHorizon } from '../../src/modules/consent/infrastructure/stored-since.js';
import { CopyDetector } from '../../src/modules/evidence/application/copy-detector.js';
import { AnchorCheckpoints } from '../../src/modules/evidence/application/anchor-checkpoints.js';
import { Sequencer } from '../../src/modules/evidence/application/sequencer.js';
import type { CheckpointOutcome } from '../../src/modules/evidence/application/checkpoint-publisher.js';
import { appendEntries, objectPath, partialTiles, ROOT_LOG } from '../../src/modules/evidence/domain/log.js';
import { EMPTY_RANGE } from '../../src/modules/evidence/domain/compact-range.js';
import { listUnanchored, markRequested } from '../../src/modules/evidence/infrastructure/checkpoint.rows.js';
import { findStatus } from '../../src/modules/evidence/infrastructure/log.rows.js';
import { LogStorage } from '../../src/modules/evidence/infrastructure/log-storage.js';
import { newId } from '../../src/platform/identity/ids.js';
import { choose } from '../support/programs/pipeline.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { type Outcome, runEvidence } from '../support/programs/run-ops.js';
import { backUpLog, type EvidenceBackup, restoreLog } from '../support/database/evidence-backup.js';
import { type EvidenceSteps, evidenceSteps } from '../support/database/evidence-steps.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';
import { makeVisitorKey } from '../support/people/visitor-key.js';

interface Verifier {
  verifyProof(proof: string, keys: string): Promise<{ record: { id: string }; isInRootLog: boolean }>;
  verifyContinuation(statement: string, last: string, keys: string): Promise<unknown>;
  verifyBeginning(statement: string, keys: string): Promise<unknown>;
  verifyConsistency(earlier: string, later: string, hashes: string, keys: string): Promise<unknown>;
}
const verifier = createRequire(import.meta.url)('../../verify/verify.cjs') as Verifier;

const KEY = `e1:${randomBytes(32).toString('base64')}`;

let service: TestService;
let steps: EvidenceSteps;
beforeAll(async () => {
  service = await startTestService({ EVIDENCE_KEYS: KEY, EVIDENCE_ROOT_SECONDS: '1' });
  steps = evidenceSteps(service);
});
afterAll(() => service.close());

const get = <T>(type: new (...args: never[]) => T): T => service.app.get(type, { strict: false });
const folderOf = (log: string): string => {
  const { storage } = service.settings.evidence;
  if (storage.kind !== 'folder') throw new Error('not a folder');
  return join(storage.path, log === ROOT_LOG ? 'log' : log);
};
const sequence = (): Promise<void> => steps.sequence();
const publish = (log: string): Promise<CheckpointOutcome> => steps.publish(log);
const seal = (project: TestProject): Promise<CheckpointOutcome> => steps.seal(project.id);
const text = async (answer: Promise<Response>): Promise<string> => (await answer).text();
const keys = (): Promise<string> => text(fetch(`${service.baseUrl}/.well-known/consent-log-keys`));
const checkpoint = (project: TestProject): Promise<string> =>
  text(project.request('viewer', 'GET', '/log/checkpoint'));
const proof = (project: TestProject, id: string): Promise<Response> =>
  project.request('viewer', 'GET', `/consents/${id}/proof`);

/** Stores records. Returns their ids, in the order in which they are sealed. */
async function store(projects: readonly TestProject[], count: number, isSalted = true): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  await service.database.query(
    `insert into consent_record (project_id, id, analytics, marketing, preferences, action, extra, received_at, salt)
     select ($1::uuid[])[1 + (n - 1) % $2], id, true, false, n % 2 = 0, 'custom', jsonb_build_object('n', n, 'é', '\u20ac'),
            date_trunc('milliseconds', now()),
            case when $4 then decode(md5(n::text) || md5(id::text), 'hex') end
     from unnest($3::uuid[]) with ordinality as t (id, n)`,
    [projects.map(({ id }) => id), projects.length, ids, isSalted],
  );
  return ids;
}
const leavesOf = async ({
  id,
}: TestProject): Promise<{ consentId: string; index: number; isErasure: boolean }[]> =>
  service.database.query(
    `select consent_id as "consentId", leaf_index::int as index, salt is not null as "isErasure"
     from evidence_leaf where project_id = $1 order by leaf_index`,
    [id],
  );
const stateOf = async (
  project: TestProject,
): Promise<{ epoch: number; size: number; refusal: string | null }> =>
  (await (await project.request('viewer', 'GET', '/log')).json()) as {
    epoch: number;
    size: number;
    refusal: string | null;
  };

describe('sealing', () => {
  it('gives each record one place, in the order of receipt, and a proof that holds without us', async () => {
    const projects = await Promise.all([createTestProject(service), createTestProject(service)]);
    const ids = await store(projects, 700);
    const [first, second] = projects as [TestProject, TestProject];
    const [id = ''] = ids;
    expect((await proof(first, id)).status).toBe(202);
    expect((await proof(first, id)).headers.get('retry-after')).toBe('10');
    expect(await seal(first)).toBe('published');
    expect(await publish(second.id)).toBe('published');
    expect((await leavesOf(first)).map(({ consentId }) => consentId)).toEqual(
      ids.filter((_id, at) => at % 2 === 0),
    );
    expect((await leavesOf(second)).map(({ index }) => index)).toEqual(
      Array.from({ length: 350 }, (_, at) => at),
    );
    expect(await stateOf(first)).toMatchObject({ sealing: true, size: 350, rootedSize: 0, refusal: null });

    const alone = await verifier.verifyProof(await text(proof(first, id)), await keys());
    expect(alone).toMatchObject({ record: { id, n: 1, é: '€' }, isInRootLog: false });
    await get(AnchorCheckpoints).anchorBatch();
    expect(await publish(ROOT_LOG)).toBe('published');
    for (const at of [0, 2, 510, 698]) {
      const whole = await verifier.verifyProof(await text(proof(first, ids[at] ?? '')), await keys());
      expect(whole).toMatchObject({ record: { id: ids[at], n: at + 1 }, isInRootLog: true });
    }
    const shown = (await (await first.request('viewer', 'GET', `/consents/${id}`)).json()) as object;
    expect(shown).toMatchObject({ evidence: { status: 'sealed', index: 0, isInRootLog: true } });
    expect(shown).not.toHaveProperty('salt');
    expect((await proof(second, id)).status).toBe(404);
  });

  it('continues what was signed, and proves it', async () => {
    const project = await createTestProject(service);
    await store([project], 3);
    await seal(project);
    const earlier = await checkpoint(project);
    for (const [count, size] of [
      [1, 4],
      [252, 256],
      [1, 257],
    ] as const) {
      await store([project], count);
      await seal(project);
      const later = await checkpoint(project);
      const hashes = await text(project.request('viewer', 'GET', `/log/consistency?from=3&to=${size}`));
      await expect(verifier.verifyConsistency(earlier, later, hashes, await keys())).resolves.toBeDefined();
    }
    // The full bundle and tile have replaced the partial ones.
    expect(readdirSync(join(folderOf(project.id), 'tile', '0')).toSorted()).toEqual(['000', '001.p']);
    const tile = await project.request('viewer', 'GET', '/log/tile/0/000.p/4');
    expect((await tile.arrayBuffer()).byteLength).toBe(4 * 32);
    expect((await project.request('viewer', 'GET', '/log/tile/0/001.p/2')).status).toBe(404);
    expect((await project.request('viewer', 'GET', '/log/consistency?from=3&to=258')).status).toBe(404);
  });

  it('seals a record that was stored without a salt', async () => {
    const project = await createTestProject(service);
    const [id = ''] = await store([project], 1, false);
    await seal(project);
    await expect(verifier.verifyProof(await text(proof(project, id)), await keys())).resolves.toMatchObject({
      record: { id },
    });
  });

  it('leaves the proofs of others whole where a record is erased, and proves the erasure', async () => {
    const project = await createTestProject(service);
    const [kept = '', gone = ''] = await store([project], 2);
    await seal(project);
    const [late = ''] = await store([project], 1);
    await service.database.orm.em.fork().transactional(async (tx) => {
      await get(EraseRecords).erase(tx, { projectId: project.id, consentIds: [gone, late] }, { limit: 10 });
    });
    expect((await proof(project, gone)).status).toBe(202);
    expect(await leavesOf(project)).toMatchObject([{ consentId: kept }]);
    await seal(project);
    expect(await leavesOf(project)).toMatchObject([
      { consentId: kept, index: 0 },
      { isErasure: true, index: 2 },
      { isErasure: true, index: 3 },
    ]);
    const keyLines = await keys();
    await expect(verifier.verifyProof(await text(proof(project, kept)), keyLines)).resolves.toMatchObject({
      record: { id: kept },
    });
    for (const id of [gone, late])
      await expect(verifier.verifyProof(await text(proof(project, id)), keyLines)).resolves.toMatchObject({
        record: { id, action: 'erase' },
      });
  });

  it('proves a record that was erased and sent again', async () => {
    const project = await createTestProject(service);
    const [id = ''] = await store([project], 1);
    await seal(project);
    await service.database.orm.em.fork().transactional(async (tx) => {
      await get(EraseRecords).erase(tx, { projectId: project.id, consentIds: [id] }, { limit: 10 });
    });
    await seal(project);
    await expect(verifier.verifyProof(await text(proof(project, id)), await keys())).resolves.toMatchObject({
      record: { id, action: 'erase' },
    });
    await service.database.query(
      `insert into consent_record (project_id, id, analytics, marketing, preferences, action, salt)
       values ($1, $2, true, false, false, 'custom', $3)`,
      [project.id, id, randomBytes(32)],
    );
    expect((await proof(project, id)).status).toBe(202);
    await seal(project);
    await expect(verifier.verifyProof(await text(proof(project, id)), await keys())).resolves.toMatchObject({
      record: { id, action: 'custom' },
    });
    expect(await leavesOf(project)).toMatchObject([{ consentId: id, index: 2, isErasure: false }]);
  });

  it('proves by the newest of several checkpoints that one checkpoint of the root log covers', async () => {
    const project = await createTestProject(service);
    for (let size = 1; size <= 2; size++) {
      await store([project], 1);
      await seal(project);
      // EVIDENCE_ROOT_SECONDS have passed.
      await service.database.query(
        `update evidence_log set appended_at = now() - interval '1 minute' where log = $1`,
        [ROOT_LOG],
      );
      await get(AnchorCheckpoints).anchorBatch();
    }
    expect(await publish(ROOT_LOG)).toBe('published');
    expect(await stateOf(project)).toMatchObject({ size: 2, rootedSize: 2 });
  });

  it('gives a partial tile of each size up to the signed one, though the storage has few of them', async () => {
    const project = await createTestProject(service);
    await store([project], 2);
    await seal(project);
    await store([project], 3);
    await seal(project);
    // As the storage of a log is where widths were passed over.
    rmSync(join(folderOf(project.id), 'tile', '0', '000.p', '2'));
    for (const width of [1, 2, 3, 4, 5]) {
      const tile = await project.request('viewer', 'GET', `/log/tile/0/000.p/${width}`);
      expect({ status: tile.status, bytes: (await tile.arrayBuffer()).byteLength }).toEqual({
        status: 200,
        bytes: width * 32,
      });
      const bundle = await project.request('viewer', 'GET', `/log/tile/entries/000.p/${width}`);
      expect((await bundle.arrayBuffer()).byteLength).toBe(width * 34);
    }
  });

  it('has no tile of unsigned entries, even where the storage has it', async () => {
    const project = await createTestProject(service);
    await store([project], 2);
    await seal(project);
    await store([project], 1);
    await sequence();
    await withStorage(
      (real) =>
        (path, ...rest) =>
          path.endsWith('/checkpoint') ? Promise.reject(new Error('killed')) : real(path, ...rest),
      () => expect(publish(project.id)).rejects.toThrow('Evidence log storage failed.'),
    );
    expect(existsSync(join(folderOf(project.id), 'tile', '0', '000.p', '3'))).toBe(true);
    for (const path of ['0', 'entries']) {
      const answer = await project.request('viewer', 'GET', `/log/tile/${path}/000.p/3`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ code: 'tile_not_found' });
    }
    expect(await publish(project.id)).toBe('published');
    expect((await project.request('viewer', 'GET', '/log/tile/0/000.p/3')).status).toBe(200);
  });

  it('gives no proof that does not hold', async () => {
    const project = await createTestProject(service);
    const [id = ''] = await store([project], 1);
    await seal(project);
    await service.database.query(`update consent_record set marketing = true where id = $1`, [id]);
    const answer = await proof(project, id);
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({ code: 'consent_not_sealed' });
  });

  it('gives no proof by a damaged tile, and does not say that the record was changed', async () => {
    const project = await createTestProject(service);
    const [first = '', second = ''] = await store([project], 2);
    await seal(project);
    const tile = join(folderOf(project.id), 'tile', '0', '000.p', '2');
    const whole = readFileSync(tile);
    const damaged = Buffer.from(whole);
    damaged[3] = (damaged[3] ?? 0) ^ 1;
    writeFileSync(tile, damaged);
    // The path of the first does not lead over the damaged hash, and holds.
    await expect(
      verifier.verifyProof(await text(proof(project, first)), await keys()),
    ).resolves.toMatchObject({
      record: { id: first },
    });
    const answer = await proof(project, second);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ detail: expect.stringContaining('is damaged') as unknown });
    rmSync(tile);
    expect((await proof(project, first)).status).toBe(503);
    writeFileSync(tile, whole);
    expect((await proof(project, second)).status).toBe(200);
  });

  it('takes the log of a deleted project away', async () => {
    const project = await createTestProject(service);
    await store([project], 1);
    await seal(project);
    expect(existsSync(folderOf(project.id))).toBe(true);
    const answer = await project.request('owner', 'DELETE', '');
    expect(answer.status).toBe(204);
    expect(await leavesOf(project)).toEqual([]);
    expect(await publish(project.id)).toBe('removed');
    expect(existsSync(folderOf(project.id))).toBe(false);
  });

  it('takes the log away that was begun in the moment in which its project went', async () => {
    const project = await createTestProject(service);
    await store([project], 1);
    await sequence();
    await service.database.query('delete from project where id = $1', [project.id]);
    expect(await publish(project.id)).toBe('removed');
    expect(await service.database.query('select from evidence_log where log = $1', [project.id])).toEqual([]);
    expect(await leavesOf(project)).toEqual([]);
  });
});

describe('a crash', () => {
  it('after any write ends in the same bytes, and the checkpoint stays behind them', async () => {
    for (let crashAt = 0; ; crashAt += 1) {
      const project = await createTestProject(service);
      await store([project], 2);
      await seal(project);
      await store([project], 300);
      await sequence();
      const former = await checkpoint(project);
      let writes = 0;
      const broken = await withStorage(
        (real) =>
          async (...args) => {
            writes += 1;
            if (writes > crashAt) throw new Error('killed');
            await real(...args);
          },
        () => publish(project.id).catch((error: unknown) => error),
      );
      if (broken === 'published') {
        expect(crashAt).toBeGreaterThan(5);
        return;
      }
      expect(await checkpoint(project)).toBe(former);
      expect(await publish(project.id)).toBe('published');
      await expectStored(project, 302);
    }
  });

  it('before any of several growths was stored loses none of their tiles', async () => {
    const project = await createTestProject(service);
    for (const count of [300, 1, 200]) {
      await store([project], count);
      await sequence();
    }
    expect(await publish(project.id)).toBe('published');
    await expectStored(project, 501);
  });

  it('between two signers leaves one tree', async () => {
    const project = await createTestProject(service);
    await store([project], 600);
    await sequence();
    expect(await Promise.all([publish(project.id), publish(project.id), publish(project.id)])).toEqual(
      Array.from({ length: 3 }, () => 'published'),
    );
    await expectStored(project, 600);
  });

  it('between a look at the storage and one at the rows, where another signs first, refuses nothing', async () => {
    const project = await createTestProject(service);
    await store([project], 3);
    await sequence();
    const storage = get(LogStorage);
    const read = storage.readCheckpoint.bind(storage);
    storage.readCheckpoint = async (log) => {
      storage.readCheckpoint = read;
      const before = await read(log);
      expect(await publish(log)).toBe('published');
      return before;
    };
    expect(await publish(project.id)).toBe('published');
    await expectStored(project, 3);
  });

  it('while places are given gives each once, whoever does it', async () => {
    const project = await createTestProject(service);
    const ids = await store([project], 500);
    const sequencer = get(Sequencer);
    await steps.releaseHorizon();
    await Promise.all([sequencer.sequenceBatch(), sequencer.sequenceBatch(), sequencer.sequenceBatch()]);
    await sequence();
    expect((await leavesOf(project)).map(({ consentId }) => consentId)).toEqual(ids);
  });

  it('gives each of several pages of records its place, in the order of their transactions', async () => {
    const projects = await Promise.all([createTestProject(service), createTestProject(service)]);
    const [first, second] = projects as [TestProject, TestProject];
    const ids: string[] = [];
    for (const count of [1_500, 2_500, 1_100]) ids.push(...(await store(projects, count)));
    await steps.releaseHorizon();
    while (await get(Sequencer).sequenceBatch());
    for (const [at, project] of projects.entries()) {
      const leaves = await leavesOf(project);
      expect(leaves.map(({ index }) => index)).toEqual(
        Array.from({ length: 2_550 }, (_none, index) => index),
      );
      expect(leaves.map(({ consentId }) => consentId)).toEqual(ids.filter((_id, n) => n % 2 === at));
    }
    expect(await publish(first.id)).toBe('published');
    expect(await publish(second.id)).toBe('published');
    await expectStored(first, 2_550);
    await expectStored(second, 2_550);
  });
});

/** The storage has exactly what the leaves of the database say. */
async function expectStored(project: TestProject, size: number): Promise<void> {
  const bundles = Array.from({ length: Math.ceil(size / 256) }, (_none, at) => {
    const width = Math.min(256, size - at * 256);
    return readFileSync(join(folderOf(project.id), objectPath({ level: -1, index: at, width })));
  });
  const entries = bundles.flatMap((bundle) =>
    Array.from({ length: bundle.length / 34 }, (_none, at) => bundle.subarray(at * 34 + 2, (at + 1) * 34)),
  );
  expect(entries).toHaveLength(size);
  const { edge, full } = appendEntries({ tree: EMPTY_RANGE, entries: [] }, entries);
  for (const tile of [...full, ...partialTiles(edge)])
    expect(readFileSync(join(folderOf(project.id), objectPath(tile))).equals(tile.bytes)).toBe(true);
  expect(await stateOf(project)).toMatchObject({ size, refusal: null });
  expect(readFileSync(join(folderOf(project.id), 'checkpoint'), 'utf8')).toBe(await checkpoint(project));
  expect(await service.database.query('select from evidence_tile where log = $1', [project.id])).toEqual([]);
}

const backUp = ({ id }: TestProject): Promise<EvidenceBackup> => backUpLog(service, id);
const restore = ({ id }: TestProject, backup: EvidenceBackup): Promise<void> =>
  restoreLog(service, id, backup);

/** Every file of a folder, by its path. */
function filesOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name)).toString('base64'),
    ]),
  );
}

describe('a fork', () => {
  let project: TestProject;
  const refused = async (sentence: RegExp): Promise<void> => {
    const before = await checkpoint(project);
    expect(await seal(project)).toBe('refused');
    expect((await stateOf(project)).refusal).toMatch(sentence);
    expect(await checkpoint(project)).toBe(before);
  };
  const sealed = async (count: number): Promise<void> => {
    project = await createTestProject(service);
    await store([project], count);
    await seal(project);
  };

  it('is not signed where the database was set back to a backup', async () => {
    await sealed(3);
    const [row] = await service.database.query<Record<string, unknown>>(
      'select size, edge, checkpoint_size, checkpoint from evidence_log where log = $1',
      [project.id],
    );
    await store([project], 2);
    await seal(project);
    await service.database.query(
      'update evidence_log set size = $2, edge = $3, checkpoint_size = $4, checkpoint = $5 where log = $1',
      [project.id, row?.size, row?.edge, row?.checkpoint_size, row?.checkpoint],
    );
    await store([project], 1);
    await refused(/has a checkpoint of 5 entries, but the database has 4/);
    // A storage larger than the signed tree is detected by its root.
    await store([project], 2);
    await refused(/of 6 entries does not start with the tree of 5/);
  });

  it('writes nothing for a database that was set back, so that proofs hold again after the newer backup', async () => {
    await sealed(750);
    const older = await backUp(project);
    const [id = ''] = await store([project], 100);
    await seal(project);
    const newer = await backUp(project);
    const before = filesOf(folderOf(project.id));

    await restore(project, older);
    // The second time the tree is larger than the one that was signed, and has a full tile of other bytes.
    for (const [count, sentence] of [
      [20, /has a checkpoint of 850 entries, but the database has \d+: the database is an older copy/],
      [400, /does not start with the tree of 850/],
    ] as const) {
      await store([project], count);
      await refused(sentence);
      expect(filesOf(folderOf(project.id))).toEqual(before);
    }
    await restore(project, newer);
    expect(await publish(project.id)).toBe('published');
    await expect(verifier.verifyProof(await text(proof(project, id)), await keys())).resolves.toMatchObject({
      record: { id },
    });
  });

  it('never replaces an object that exists with other bytes', async () => {
    await sealed(250);
    await store([project], 10);
    await sequence();
    const path = join(folderOf(project.id), 'tile', '0', '000');
    writeFileSync(path, randomBytes(256 * 32));
    const other = readFileSync(path);
    await refused(/has different bytes at tile\/0\/000\. They are not overwritten/);
    expect(readFileSync(path).equals(other)).toBe(true);
    rmSync(path);
    expect(await publish(project.id)).toBe('published');
    await expectStored(project, 260);
  });

  it('is not signed where the storage was lost, cut off or changed, and is where it was restored', async () => {
    await sealed(300);
    const folder = folderOf(project.id);
    const tile = join(folder, 'tile', '1', '000.p', '1');
    const whole = readFileSync(tile);
    await store([project], 1);
    rmSync(tile);
    await refused(/tile\/1\/000\.p\/1 is missing from storage/);
    writeFileSync(tile, whole.subarray(0, 10));
    await refused(/tile\/1\/000.p\/1 is truncated in storage/);
    const changed = Buffer.from(whole);
    changed[5] = (changed[5] ?? 0) ^ 1;
    writeFileSync(tile, changed);
    await refused(/does not start with the tree of 300|tree in storage differs/);
    writeFileSync(tile, whole);
    const note = readFileSync(join(folder, 'checkpoint'), 'utf8');
    rmSync(join(folder, 'checkpoint'));
    await refused(/checkpoint was signed but is missing/);
    writeFileSync(join(folder, 'checkpoint'), note.replace(/^(.*)\n300\n/, '$1\n299\n'));
    await refused(/is not signed by a key in EVIDENCE_KEYS/);
    writeFileSync(join(folder, 'checkpoint'), note);
    expect(await seal(project)).toBe('published');
    expect(await stateOf(project)).toMatchObject({ size: 301, refusal: null });
  });

  it('is not signed where the rows of the tree were changed', async () => {
    await sealed(3);
    await service.database.query(
      `update evidence_log set edge = set_byte(edge, 100, 1 # get_byte(edge, 100)) where log = $1`,
      [project.id],
    );
    await store([project], 1);
    await refused(/does not start with|tree in storage differs/);
  });
});

it('tells of a record that was stored before anything was sealed that it never will be', async () => {
  const project = await createTestProject(service);
  const [id = ''] = await store([project], 1);
  const state = async (): Promise<unknown> =>
    ((await (await project.request('viewer', 'GET', `/consents/${id}`)).json()) as { evidence: unknown })
      .evidence;
  expect(await state()).toEqual({ status: 'pending', index: null, isInRootLog: false });
  await service.database.query(`update sequencer_cursor set begins_at = now() + interval '1 second'`);
  expect(await state()).toEqual({ status: 'never', index: null, isInRootLog: false });
  expect((await proof(project, id)).status).toBe(409);
  await service.database.query(`update sequencer_cursor set begins_at = now() - interval '1 minute'`);
});

describe('the order', () => {
  /** Has the service tell the time by a clock that is wrong: records that are stored then bear its instants. */
  const storeBy = async (project: TestProject, offset: string): Promise<string[]> => {
    const ids = await store([project], 20);
    await service.database.query(
      `update consent_record set received_at = received_at + $2::interval where id = any($1::uuid[])`,
      [ids, offset],
    );
    return ids;
  };

  it.each(['-30 seconds', '-10 minutes', '10 minutes'])(
    'loses nothing where the clock of the database is off by %s',
    async (offset) => {
      const project = await createTestProject(service);
      const before = await store([project], 1);
      await seal(project);
      const wrong = await storeBy(project, offset);
      await seal(project);
      const [gone = '', ...kept] = wrong;
      await service.database.orm.em.fork().transactional(async (tx) => {
        await get(EraseRecords).erase(tx, { projectId: project.id, consentIds: [gone] }, { limit: 10 });
      });
      await service.database.query(
        'update erased_record set erased_at = erased_at + $2::interval where consent_id = $1',
        [gone, offset],
      );
      const after = await store([project], 1);
      await seal(project);
      const leaves = await leavesOf(project);
      expect(new Set(leaves.map(({ consentId }) => consentId))).toEqual(
        new Set([...before, ...wrong, ...after]),
      );
      expect(leaves.filter(({ isErasure }) => isErasure)).toMatchObject([{ consentId: gone }]);
      for (const id of [gone, kept[0] ?? '', ...after])
        await expect(
          verifier.verifyProof(await text(proof(project, id)), await keys()),
        ).resolves.toMatchObject({
          record: { id },
        });
    },
  );

  it('waits for a transaction that writes before others and commits behind them', async () => {
    const project = await createTestProject(service);
    const client = new Client({ connectionString: service.database.url });
    await client.connect();
    const late = newId();
    try {
      await client.query('begin');
      await client.query(
        `insert into consent_record (project_id, id, analytics, marketing, preferences, action, salt)
         values ($1, $2, true, false, false, 'custom', $3)`,
        [project.id, late, randomBytes(32)],
      );
      const [early = ''] = await store([project], 1);
      const horizon = await committedHorizon(service.database.orm.em.fork());
      const [{ xid } = { xid: '' }] = await service.database.query<{ xid: string }>(
        'select stored_xid::text as xid from consent_record where id = $1',
        [early],
      );
      expect(BigInt(horizon.xid)).toBeLessThan(BigInt(xid));
    } finally {
      await client.query('commit');
      await client.end();
    }
    await seal(project);
    expect((await leavesOf(project)).map(({ consentId }) => consentId)).toContain(late);
  });

  it('finds what has no place where the database is on another server, and gives nothing a second one', async () => {
    const project = await createTestProject(service);
    const [sealedId = ''] = await store([project], 1);
    await seal(project);
    // Two that were stored on the other server: by a transaction that is long past here, and by one yet to begin.
    const [past = '', future = ''] = await store([project], 2);
    await service.database.query(
      `update consent_record set stored_xid = case id when $1 then 3 else 4000000000 end where id in ($1, $2)`,
      [past, future],
    );
    await service.database.query(`update sequencer_cursor set after_xid = 4000000000, cluster = 'another'`);
    await seal(project);
    expect((await leavesOf(project)).map(({ consentId }) => consentId)).toEqual([sealedId, past, future]);
    expect(await seal(project)).toBe('published');
    expect(await stateOf(project)).toMatchObject({ size: 3 });
  });
});

const ops = (...args: string[]): Promise<Outcome> => runEvidence(service, { keys: KEY }, args);

describe('a log that continues another one', () => {
  const continuation = (project: TestProject): Promise<string> =>
    text(project.request('viewer', 'GET', '/log/continues'));

  const shownLog = async (project: TestProject): Promise<unknown> =>
    (await project.request('viewer', 'GET', '/log')).json();

  it('begins with what was known of the one that an older backup had forked, and why', async () => {
    const project = await createTestProject(service);
    const [early = ''] = await store([project], 5);
    await seal(project);
    const older = await backUp(project);
    await store([project], 300);
    await seal(project);
    const lost = await checkpoint(project);
    expect(await shownLog(project)).toMatchObject({ epoch: 1, continues: null });
    const files = filesOf(folderOf(project.id));
    await restore(project, older);
    await service.database.query(
      `delete from consent_record where project_id = $1 and id in
         (select id from consent_record where project_id = $1 order by id offset 5)`,
      [project.id],
    );
    const [unsigned = ''] = await store([project], 1);
    expect(await seal(project)).toBe('refused');

    const reason = 'The database was restored from the backup of last night.';
    const done = await ops('continue', '--project', project.id, '--reason', reason);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(
      new RegExp(`/${project.id}/2 continues the 305 entries of .*/${project.id}\\.\n$`),
    );
    const [late = ''] = await store([project], 1);
    expect(await seal(project)).toBe('published');
    expect(await stateOf(project)).toMatchObject({ epoch: 2, size: 3, refusal: null });
    // Nothing of the former log was touched.
    expect(filesOf(folderOf(project.id))).toMatchObject(files);
    const later = await checkpoint(project);
    expect(later.split('\n')[0]).toMatch(new RegExp(`/${project.id}/2$`));

    const keyLines = await keys();
    for (const id of [early, unsigned, late])
      await expect(verifier.verifyProof(await text(proof(project, id)), keyLines)).resolves.toMatchObject({
        record: { id },
        checkpoint: { origin: expect.stringMatching(id === early ? /[^/]{36}$/ : /\/2$/) as unknown },
      });
    const found = (await verifier.verifyContinuation(await continuation(project), lost, keyLines)) as {
      at: string;
    };
    expect(found).toMatchObject({ former: { size: 305 }, reason });
    const [origin, , rootHash] = lost.split('\n');
    expect(await shownLog(project)).toMatchObject({
      epoch: 2,
      continues: { origin, size: 305, rootHash, reason, at: found.at },
    });
    // A receiver that holds more than was known says so.
    const statement = await continuation(project);
    await expect(verifier.verifyContinuation(statement, later, keyLines)).rejects.toThrow(/not the log that/);
    await expect(
      verifier.verifyContinuation(statement.replace('index 0', 'index 1'), lost, keyLines),
    ).rejects.toThrow('a statement is the first entry of its log');
    // The former database is never signed again, although it is unchanged.
    await store([project], 1);
    await sequence();
    const current = await backUp(project);
    await restore(project, older);
    await service.database.query('update evidence_log set requested_at = null where log = $1', [project.id]);
    expect(await publish(project.id)).toBe('refused');
    expect((await stateOf(project)).refusal).toMatch(/Another log continues this one/);
    await restore(project, current);
    expect(await publish(project.id)).toBe('published');
  });

  it('is asked for where the data folder is a copy, which nothing else shows', async () => {
    const project = await createTestProject(service);
    await store([project], 1);
    await seal(project);
    const { dataDir } = service.settings.service;
    const folder = join(dataDir, 'postgres', 'data');
    const file = join(folder, 'PG_VERSION');
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, '18');
    writeFileSync(join(folder, 'postmaster.pid'), '1');
    const start = (): Promise<void> => get(CopyDetector).onModuleInit();
    try {
      await start();
      // Neither a change of the owner nor another start is a copy.
      chmodSync(file, 0o600);
      await start();
      await store([project], 1);
      expect(await seal(project)).toBe('published');
      // As `cp -a` restores a backup into place: the file system may give the copy the inode of the deleted file.
      cpSync(folder, `${folder}-backup`, { recursive: true, preserveTimestamps: true });
      rmSync(folder, { recursive: true });
      cpSync(`${folder}-backup`, folder, { recursive: true, preserveTimestamps: true });
      rmSync(`${folder}-backup`, { recursive: true });
      await start();
      const [late = ''] = await store([project], 1);
      expect(await seal(project)).toBe('refused');
      expect((await stateOf(project)).refusal).toMatch(/The data folder is a copy/);
      const done = await ops('continue', '--all', '--reason', 'Restored from a copy.');
      expect(done).toMatchObject({ code: 0, err: '' });
      expect(await seal(project)).toBe('published');
      const { epoch } = await stateOf(project);
      expect(epoch).toBeGreaterThan(2);
      expect(await stateOf(project)).toMatchObject({ size: 2, refusal: null });
      await start();
      expect(await ops('continue', '--all', '--reason', 'Again.')).toMatchObject({
        out: 'No log is halted. Nothing was changed.\n',
      });
      // So does the log of all, which proofs lead to again.
      await until('the log of all covers it', async () => {
        expect(await steps.anchor()).toBe('published');
        return (await verifier.verifyProof(await text(proof(project, late)), await keys())).isInRootLog;
      });
    } finally {
      rmSync(folder, { recursive: true });
      await service.database.query('update sequencer_cursor set log_epoch = 1');
    }
  });

  it('has another origin in a copy of the data folder, where nothing was signed before the copy', async () => {
    const [unsigned, idle] = [await createTestProject(service), await createTestProject(service)];
    const { dataDir } = service.settings.service;
    const folder = join(dataDir, 'postgres', 'data');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'PG_VERSION'), '18');
    writeFileSync(join(folder, 'postmaster.pid'), '1');
    const copy = (): void => {
      cpSync(folder, `${folder}-backup`, { recursive: true, preserveTimestamps: true });
      rmSync(folder, { recursive: true });
      cpSync(`${folder}-backup`, folder, { recursive: true, preserveTimestamps: true });
      rmSync(`${folder}-backup`, { recursive: true });
    };
    const start = (): Promise<void> => get(CopyDetector).onModuleInit();
    const originOf = async (project: TestProject): Promise<string> =>
      (await checkpoint(project)).split('\n')[0] ?? '';
    try {
      await service.database.query('update sequencer_cursor set home = null');
      await start();
      // One is sequenced and not signed, the other has no log yet.
      const [early = ''] = await store([unsigned], 2);
      await sequence();
      copy();
      await start();
      await store([idle], 1);
      expect(await seal(idle)).toBe('published');
      expect(await publish(unsigned.id)).toBe('published');
      for (const project of [unsigned, idle]) {
        const origin = await originOf(project);
        expect(origin).toMatch(new RegExp(`/${project.id}/\\d+$`));
        const statement = await continuation(project);
        const found = await verifier.verifyBeginning(statement, await keys());
        expect(found).toMatchObject({
          origin,
          former: { origin: origin.replace(/\/\d+$/, ''), size: 0 },
          reason: expect.stringContaining('data folder is a copy') as unknown,
        });
      }
      expect(await verifier.verifyProof(await text(proof(unsigned, early)), await keys())).toMatchObject({
        record: { id: early },
      });
      expect(await stateOf(unsigned)).toMatchObject({ size: 3, refusal: null, continues: { size: 0 } });
      // A copy of a copy, whose log begins with such a statement and is not signed yet.
      const again = await createTestProject(service);
      await store([again], 1);
      await sequence();
      copy();
      await start();
      expect(await seal(again)).toBe('published');
      expect(await stateOf(again)).toMatchObject({ size: 2, refusal: null, continues: { size: 0 } });
      // The same backup, restored again, is another copy.
      const number = Number((await originOf(idle)).split('/').at(-1));
      await service.database.query('update sequencer_cursor set log_epoch = 1');
      copy();
      await until('a second has passed', async () => {
        const [row] = await service.database.query<{ isLater: boolean }>(
          `select extract(epoch from now() - timestamptz '2026-01-01Z')::int > $1 as "isLater"`,
          [number],
        );
        return row?.isLater === true;
      });
      await start();
      const later = await createTestProject(service);
      await store([later], 1);
      await seal(later);
      expect(Number((await originOf(later)).split('/').at(-1))).toBeGreaterThan(number);
    } finally {
      rmSync(folder, { recursive: true });
      await service.database.query('update sequencer_cursor set log_epoch = 1');
      expect(await ops('continue', '--all', '--reason', 'Restored.')).toMatchObject({ code: 0 });
    }
  });

  it('is checked together with the log that it continues', async () => {
    const project = await createTestProject(service);
    await store([project], 2);
    await seal(project);
    expect(await ops('continue', '--project', project.id, '--reason', 'Lost.')).toMatchObject({ code: 0 });
    await store([project], 1);
    await seal(project);
    expect(await ops('check', project.id)).toEqual({
      code: 0,
      out: `${project.id}  2 entries  ok\n${project.id}/2  2 entries  ok\n${project.id}  3 records  ok\n`,
      err: '',
    });
    // A damaged entry in either log.
    for (const folder of [folderOf(project.id), join(folderOf(project.id), '2')]) {
      const path = join(folder, 'tile', 'entries', '000.p', '2');
      const bytes = readFileSync(path);
      writeFileSync(path, Buffer.concat([Buffer.of(0, 32), randomBytes(32), bytes.subarray(34)]));
    }
    const damaged = await ops('check', project.id);
    expect(damaged.code).toBe(1);
    for (const name of [project.id, `${project.id}/2`])
      expect(damaged.out).toContain(`${name}  2 entries  Tile 0 of level 0 does not match its entries.\n`);
  });

  it('goes on from a checkpoint that a receiver holds, where everything else was restored', async () => {
    const project = await createTestProject(service);
    await store([project], 3);
    await seal(project);
    const older = await backUp(project);
    const note = await checkpoint(project);
    await store([project], 2);
    await seal(project);
    const held = await checkpoint(project);
    await restore(project, older);
    writeFileSync(join(folderOf(project.id), 'checkpoint'), note);
    const file = join(service.settings.service.dataDir, 'head.txt');
    writeFileSync(file, held);
    const done = await ops('continue', '--project', project.id, '--reason', 'Restored.', '--head', file);
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(
      new RegExp(`/${project.id}/2 continues the 5 entries of .*/${project.id}\\.\n$`),
    );
    expect(await seal(project)).toBe('published');
    const found = await verifier.verifyContinuation(await continuation(project), held, await keys());
    expect(found).toMatchObject({ former: { size: 5 }, reason: 'Restored.' });
    rmSync(file);
  });

  it('is refused with a head that is changed, or of another log', async () => {
    const project = await createTestProject(service);
    await store([project], 1);
    await seal(project);
    const file = join(service.settings.service.dataDir, 'other-head.txt');
    const go = (...which: string[]): Promise<Outcome> =>
      ops('continue', ...which, '--reason', 'Restored.', '--head', file);
    writeFileSync(file, (await checkpoint(project)).replace('\n1\n', '\n6\n'));
    expect((await go('--project', project.id)).err).toContain('is not a checkpoint of');
    writeFileSync(file, await text(fetch(`${service.baseUrl}/log/checkpoint`)));
    expect((await go('--project', project.id)).err).toContain('is not a checkpoint of');
    expect(await go('--all')).toMatchObject({ code: 2 });
    rmSync(file);
    expect((await go('--project', project.id)).err).toContain('Cannot read');
  });

  it('is refused without a reason, and where nothing was signed', async () => {
    const project = await createTestProject(service);
    expect(await ops('continue', '--project', project.id)).toMatchObject({ code: 2 });
    expect((await ops('continue', '--project', project.id, '--reason', 'x')).err).toContain(
      'this log has no entries',
    );
  });
});

describe('npm run ops -- evidence', () => {
  it('checks a whole log, and says what was changed in the storage and what is not signed', async () => {
    const project = await createTestProject(service);
    await store([project], 300);
    await seal(project);
    expect(await ops('check', project.id)).toEqual({
      code: 0,
      out: `${project.id}  300 entries  ok\n${project.id}  300 records  ok\n`,
      err: '',
    });
    const bundle = join(folderOf(project.id), 'tile', 'entries', '000');
    const whole = readFileSync(bundle);
    const changed = Buffer.from(whole);
    changed[100 * 34 + 9] = (changed[100 * 34 + 9] ?? 0) ^ 1;
    writeFileSync(bundle, changed);
    const found = await ops('check', project.id);
    expect(found.code).toBe(1);
    expect(found.out).toContain(
      `${project.id}  300 entries  Tile 0 of level 0 does not match its entries.\n`,
    );
    writeFileSync(bundle, whole);
    expect(await ops('check', project.id)).toMatchObject({ code: 0 });

    rmSync(join(folderOf(project.id), 'checkpoint'));
    await store([project], 1);
    expect(await seal(project)).toBe('refused');
    const status = await ops('status');
    expect(status).toMatchObject({ code: 0, err: '' });
    expect(status.out).toMatch(
      new RegExp(`^${project.id} {2}unsigned since .*: A checkpoint was signed but is missing`, 'm'),
    );
    expect((await ops('check', newId())).err).toContain('This project has no log.');
  });
});

describe('logs that wait', () => {
  const em = () => service.database.orm.em.fork();
  const ago = (column: string, log: string, time: string): Promise<unknown> =>
    service.database.query(`update evidence_log set ${column} = now() - $2::interval where log = $1`, [
      log,
      time,
    ]);

  it('are counted, and listed with the oldest refusal first', async () => {
    const before = await findStatus(em());
    const [project, other] = [await createTestProject(service), await createTestProject(service)];
    await store([project, other], 2);
    await sequence();
    expect(await findStatus(em())).toMatchObject({
      logs: before.logs + 2,
      unsigned: before.unsigned + 2,
      refused: before.refused,
    });
    const refuse = `update evidence_log set refusal = 'damaged' where log = any($1::uuid[])`;
    await service.database.query(refuse, [[project.id, other.id]]);
    await ago('refused_at', project.id, '1 hour');
    await ago('refused_at', other.id, '2 hours');
    expect((await findStatus(em())).refused).toBe(before.refused + 2);
    const { out } = await ops('status');
    const listed = [...out.matchAll(/^(\S+) {2}unsigned since .*: damaged$/gm)].map(([, log]) => log);
    expect(listed).toEqual([other.id, project.id]);
    for (const each of [project, other]) expect(await publish(each.id)).toBe('published');
    expect(await findStatus(em())).toMatchObject({ unsigned: before.unsigned, refused: before.refused });
  });

  it('are requested again after ten minutes without a signature', async () => {
    const project = await createTestProject(service);
    await store([project], 1);
    await seal(project);
    const log = { log: project.id, size: 2, checkpointSize: 1 };
    await ago('requested_at', project.id, '9 minutes');
    expect(await markRequested(em(), [log])).toEqual([]);
    await ago('requested_at', project.id, '10 minutes');
    expect(await markRequested(em(), [log])).toEqual([project.id]);
  });

  it('are added to the root log once in EVIDENCE_ROOT_SECONDS', async () => {
    const project = await createTestProject(service);
    await store([project], 1);
    await seal(project);
    await ago('appended_at', ROOT_LOG, '1 hour');
    await steps.anchor();
    await store([project], 1);
    await seal(project);
    await ago('appended_at', ROOT_LOG, '1 hour');
    const within = async (everySeconds: number): Promise<string[]> =>
      (await listUnanchored(em(), { everySeconds, limit: 1000 })).map(({ log }) => log);
    expect(await within(2 * 3600)).toEqual([]);
    expect(await within(3600)).toContain(project.id);
  });
});

describe('a storage that is away', () => {
  it('fails the signature alone, whose turn comes again', async () => {
    const project = await createTestProject(service);
    await store([project], 1);
    await seal(project);
    await store([project], 1);
    await withStorage(
      () => () => Promise.reject(new Error('EIO')),
      () => expect(seal(project)).rejects.toThrow('Evidence log storage failed.'),
    );
    expect(await stateOf(project)).toMatchObject({ size: 1, refusal: null });
    expect(await publish(project.id)).toBe('published');
    await expectStored(project, 2);
  });
});

type Put = LogStorage['put'];

/** Runs `work` while writing to the storage is something else. */
async function withStorage<T>(broken: (real: Put) => Put, work: () => Promise<T>): Promise<T> {
  const storage = get(LogStorage);
  const real = storage.put.bind(storage);
  storage.put = broken(real);
  try {
    return await work();
  } finally {
    storage.put = real;
  }
}

describe('a visitor’s receipt', () => {
  it('has the proof of her record as soon as it is sealed', async () => {
    const project = await createTestProject(service);
    const { visitorKey, visitorKeyHash } = makeVisitorKey();
    const { id } = await choose(service, project.id, { visitorKeyHash });
    const receipt = async (): Promise<{ proof: string | null }> => {
      const answer = await fetch(`${service.baseUrl}/v1/visitor/receipts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ projectId: project.id, visitorKey }),
      });
      return (await answer.json()) as { proof: string | null };
    };
    expect((await receipt()).proof).toBeNull();
    expect(await seal(project)).toBe('published');
    const proven = await verifier.verifyProof(String((await receipt()).proof), await keys());
    expect(proven.record).toMatchObject({ id, action: 'custom' });
    expect(JSON.stringify(proven)).not.toContain(visitorKeyHash);
  });
});
