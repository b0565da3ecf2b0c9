import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type LoneService, Processes, startLoneService } from '../support/programs/processes.js';
import {
  reply,
  startTimeStampService,
  type TestTimeStampService,
} from '../support/fakes/timestamp-service.js';
import { until } from '../support/until.js';

const VERIFIER = join(import.meta.dirname, '..', '..', 'verify', 'verify.cjs');
const VECTORS = join(import.meta.dirname, '..', 'vectors', 'timestamp');
const PAGE = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'evidence.md'), 'utf8');
const CONFIGURATION = `
[ tsa ]
default_tsa = service
[ service ]
serial = serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
`;

const processes = new Processes();
let folder: string;
let stamper: TestTimeStampService;
let service: LoneService;
let project: { projectId: string; apiKeys: { viewer: string } };

/** OpenSSL in the test's folder; rejects where it fails. */
const openssl = async (...given: string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('openssl', given, { cwd: folder });
  return stdout;
};

/** An authority, and a service with its certificate only for timestamps. */
async function makeTimeStampService(): Promise<void> {
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  writeFileSync(join(folder, 'tsa.cnf'), CONFIGURATION);
  writeFileSync(join(folder, 'serial'), '01\n');
  writeFileSync(join(folder, 'extensions'), 'extendedKeyUsage=critical,timeStamping\n');
  await openssl(
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'service.pem',
    '-subj',
    '/CN=Authority',
  );
  await openssl('req', ...newKey, '-keyout', 'tsa.key', '-out', 'tsa.csr', '-subj', '/CN=Timestamp service');
  const signing = ['-CA', 'service.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions'];
  await openssl('x509', '-req', '-in', 'tsa.csr', ...signing, '-out', 'tsa.pem');
}

beforeAll(async () => {
  folder = processes.folder();
  await makeTimeStampService();
  stamper = await startTimeStampService(async (query, response) => {
    writeFileSync(join(folder, 'query.tsq'), query);
    const signer = ['-signer', 'tsa.pem', '-inkey', 'tsa.key'];
    await openssl(
      'ts',
      '-reply',
      '-config',
      'tsa.cnf',
      '-queryfile',
      'query.tsq',
      ...signer,
      '-out',
      'answer.tsr',
    );
    reply(response, readFileSync(join(folder, 'answer.tsr')));
  });
  service = await startLoneService({
    EVIDENCE_SEAL_SECONDS: '1',
    EVIDENCE_ROOT_SECONDS: '1',
    EVIDENCE_TIMESTAMP_URL: stamper.url,
    EVIDENCE_TIMESTAMP_SECONDS: '1',
  });
  project = JSON.parse(readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8')) as typeof project;
});
afterAll(async () => {
  await service?.stop();
  await stamper?.close();
  await processes.close();
});

async function textAt(path: string): Promise<string> {
  const headers = { authorization: `Bearer ${project.apiKeys.viewer}` };
  const answer = await fetch(`${service.baseUrl}${path}`, { headers });
  return answer.status === 200 ? answer.text() : '';
}

/** A record, and its proof once that is in the root log. */
async function proofOfNewRecord(): Promise<{ file: string; proof: string }> {
  const at = `/v1/projects/${project.projectId}/consents`;
  const stored = await fetch(`${service.baseUrl}${at}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ analytics: true, marketing: false, preferences: true, action: 'custom' }),
  });
  const { id } = (await stored.json()) as { id: string };
  const proof = await until('the proof reaches the root log', async () => {
    const text = await textAt(`${at}/${id}/proof`);
    const extra = /^extra (\S+)$/m.exec(text)?.[1] ?? '';
    return Buffer.from(extra, 'base64').includes('"rootProof":"') ? text : null;
  });
  return { file: `consent-${id}.tlog-proof`, proof };
}

describe('a timestamp of the root log', () => {
  it('is checked by a stranger as the page says, and refused with another checkpoint', async () => {
    const { file, proof } = await proofOfNewRecord();
    writeFileSync(join(folder, file), proof);
    writeFileSync(join(folder, 'keys.txt'), await textAt('/.well-known/consent-log-keys'));
    const shown = execFileSync(process.execPath, [VERIFIER, 'proof', file, 'keys.txt'], { cwd: folder });
    const [, covered = ''] = /^ok {4}root log: entry \d+ of the (\d+) in /m.exec(shown.toString()) ?? [];
    await until('it is stamped', () => textAt(`/log/timestamp/${covered}`));

    const [, commands = ''] = /```sh\n(N=2\n[^]*?)```/.exec(PAGE) ?? [];
    expect(commands).toContain('openssl ts -verify');
    const own = commands
      .replace('N=2', `N=${covered}`)
      .replaceAll('https://consent.example.com', service.baseUrl)
      .replace('verify/verify.cjs', VERIFIER)
      .replace('consent-….tlog-proof', file);
    const { stdout } = await promisify(execFile)('sh', ['-euc', own], { cwd: folder });
    expect(stdout).toMatch(/^ok {4}stamped: the \d+ entries begin the \d+ of the stamped checkpoint$/m);
    expect(stdout).toContain('Verification: OK');
    const [, at = ''] = /^Time stamp: (.*)$/m.exec(stdout) ?? [];
    expect(Math.abs(new Date(at).getTime() - Date.now())).toBeLessThan(60_000);

    const { size } = JSON.parse(await textAt('/log/timestamp')) as { size: number };
    await proofOfNewRecord();
    const later = await until('a later one is stamped', async () =>
      textAt(`/log/timestamp/${size + 1}/checkpoint`),
    );
    writeFileSync(join(folder, 'later.txt'), later);
    const verify = ['ts', '-verify', '-in', 'stamp.tsr', '-CAfile', 'service.pem', '-data'];
    expect(await openssl(...verify, 'stamped.txt')).toContain('Verification: OK');
    await expect(openssl(...verify, 'later.txt')).rejects.toThrow('message imprint mismatch');

    // The first digit of the minute that the stamp says.
    const stamp = readFileSync(join(folder, 'stamp.tsr'));
    const minuteAt = stamp.indexOf(`${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`) + 10;
    stamp[minuteAt] = (stamp[minuteAt] ?? 0) ^ 1;
    writeFileSync(join(folder, 'stamp.tsr'), stamp);
    await expect(openssl(...verify, 'stamped.txt')).rejects.toThrow('digest failure');
  });

  it('is what the vectors hold', async () => {
    const at = (name: string): string => join(VECTORS, name);
    const verify = ['ts', '-verify', '-in', at('answer.tsr'), '-CAfile', at('ca.pem')];
    expect(await openssl(...verify, '-data', at('checkpoint.txt'))).toContain('Verification: OK');
    expect(await openssl(...verify, '-queryfile', at('query.tsq'))).toContain('Verification: OK');
  });
});
