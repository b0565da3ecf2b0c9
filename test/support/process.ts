import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './until.js';

/** The built service in a process of its own, as an operator runs it. */
export interface ServiceProcess {
  /** e.g. `http://127.0.0.1:41234` */
  baseUrl: string;
  /** Its data folder, empty at the start and removed in the end. */
  dataDir: string;
  /** Everything it has written so far, log and messages. */
  output(): string;
  /** Ends it as Ctrl-C does; resolves with its exit code. */
  stop(): Promise<number | null>;
}

const READY_DEADLINE_MS = 60_000;
const READY = /API\s+(http\S+)/;

/**
 * Starts `dist/main.js` (which `npm test` builds) with the given environment and nothing of this process's
 * own but PATH and HOME; resolves once it is ready. Without PORT it takes a free one.
 */
export async function startServiceProcess(environment: NodeJS.ProcessEnv = {}): Promise<ServiceProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'consent-process-'));
  // The embedded PostgreSQL may run as another user, who has to get in.
  chmodSync(dataDir, 0o755);
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'dist/main.js'], {
    env: { PATH, HOME, PORT: '0', DATA_DIR: dataDir, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const stop = async (): Promise<number | null> => {
    const code = await end(child);
    rmSync(dataDir, { recursive: true, force: true });
    return code;
  };
  try {
    const baseUrl = await until(
      'the service to be ready',
      () => {
        if (child.exitCode !== null) throw new Error(`The service ended while it started:\n${output}`);
        return READY.exec(output)?.[1];
      },
      READY_DEADLINE_MS,
    );
    return { baseUrl, dataDir, output: () => output, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill('SIGINT');
  });
}
