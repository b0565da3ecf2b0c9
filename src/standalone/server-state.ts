import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const ADOPT_DEADLINE_MS = 10_000;

/**
 * The port of a server that already runs on `data`, or null. A postmaster.pid may outlive its
 * server.
 */
export async function adoptRunningServer(data: string): Promise<number | null> {
  const pidFile = join(data, 'postmaster.pid');
  const deadline = Date.now() + ADOPT_DEADLINE_MS;
  while (existsSync(pidFile) && Date.now() < deadline) {
    const [pid, , , port] = readFileSync(pidFile, 'utf8').split('\n');
    if (!isAlive(Number(pid))) return null;
    if (Number(port) > 0 && (await portAnswers(Number(port)))) return Number(port);
    await new Promise((wake) => setTimeout(wake, 50));
  }
  return null;
}

function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function portAnswers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => socket.destroy(resolve(true) as undefined));
    socket.once('error', () => resolve(false));
  });
}

/** Whether the process in the server's pid file is alive. */
export function isServerAlive(data: string): boolean {
  const pidFile = join(data, 'postmaster.pid');
  return existsSync(pidFile) && isAlive(Number(readFileSync(pidFile, 'utf8').split('\n')[0]));
}

/** A TCP port on loopback that is free at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
