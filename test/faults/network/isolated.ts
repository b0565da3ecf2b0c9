import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Set for the process that runs inside. */
const INSIDE = 'LAB_INSIDE';
/** Namespaces, mounts and processes end with the first process, even after `kill -9`. */
const ISOLATION = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** The first process must reap orphans: Patroni waits until its PostgreSQL has disappeared. */
const REAPING = '"$@"; exit $?';
/** Programs and the Debian package that has each. */
const PROGRAMS = {
  ip: 'iproute2',
  nft: 'nftables',
  python3: 'python3',
  haproxy: 'haproxy',
  'redis-server': 'redis-server',
  patroni: 'patroni',
  etcd: 'etcd-server',
  '/usr/sbin/pgbouncer': 'pgbouncer',
  psql: 'postgresql-client',
};

export function isInside(): boolean {
  return process.env[INSIDE] !== undefined;
}

/** Why the lab cannot run on this machine; null: it can. */
export function networkRefusal(): string | null {
  if (process.getuid?.() !== 0) return 'only root can create network namespaces';
  const probe =
    'mount -t tmpfs tmpfs /mnt && ip link add bridge0 type bridge && ip tuntap add mode tun name t0';
  const { status, stderr } = spawnSync('unshare', [...ISOLATION, 'sh', '-c', probe], { encoding: 'utf8' });
  if (status !== 0) return `network namespaces cannot be created: ${stderr.trim() || 'no unshare'}`;
  const missing = Object.entries(PROGRAMS).filter(
    ([program]) => spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0,
  );
  if (!existsSync('/usr/lib/postgresql')) missing.push(['postgres', 'postgresql']);
  if (missing.length === 0) return null;
  return `missing Debian packages: ${missing.map(([, debianPackage]) => debianPackage).join(', ')}`;
}

/** Runs this program again in new namespaces, kills it after the deadline, and returns its exit code. */
export async function isolated(deadlineMs: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'consent-network-'));
  const program = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', ...ISOLATION, 'sh', '-c', REAPING, 'sh', ...program],
    { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1', TMPDIR: folder } },
  );
  const end = (): void => void child.kill('SIGKILL');
  const deadline = setTimeout(end, deadlineMs);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(deadline);
  rmSync(folder, { recursive: true, force: true });
  return code ?? 1;
}
