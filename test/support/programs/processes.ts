import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './free-port.js';
import { until } from '../until.js';

const STOP_DEADLINE_MS = 120_000;

/** How a process ended. */
interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A child process of the built service. */
export interface ServiceProcess {
  pid: number;
  /** `http://127.0.0.1:<PORT>` */
  baseUrl: string;
  /** Its output so far, both streams in the order of their arrival. */
  output(): string;
  /** Resolves once it says that it is ready; rejects with its output where it ends before that. */
  ready(): Promise<void>;
  /** Resolves when it has ended; rejects after the deadline. */
  exit(deadlineMs?: number): Promise<Exit>;
  signal(signal: NodeJS.Signals): void;
  /** Ctrl-C, and waits for the end. */
  stop(): Promise<Exit>;
  /** `kill -9`, and waits for the end. */
  kill(): Promise<Exit>;
}

export interface StartOptions {
  /** Settings beside PATH and the like; the test's own environment is not handed on. */
  environment: Record<string, string>;
  /** Runs as another user; requires root. */
  user?: { uid: number; gid: number };
  /** Folder of another build than `dist`. */
  programs?: string;
  /** Node's own options, e.g. `--import` of a file. */
  nodeOptions?: string[];
  /** The command that runs the program elsewhere, e.g. `ip netns exec <name>`. */
  within?: string[] | undefined;
}

/** Starts processes of one test file, and kills the remaining ones in `close()`. */
export class Processes {
  private readonly started: ChildProcess[] = [];
  private readonly folders: string[] = [];
  private readonly dataFolders = new Set<string>();

  /** A fresh folder that any user may enter; it is removed by `close()`. */
  folder(): string {
    const folder = mkdtempSync(join(tmpdir(), 'consent-processes-'));
    chmodSync(folder, 0o755);
    this.folders.push(folder);
    return folder;
  }

  /** A fresh folder with an embedded server in it, which `close()` kills. */
  dataFolder(): string {
    const folder = this.folder();
    this.dataFolders.add(folder);
    return folder;
  }

  /** The API, with all of standalone mode where no DATABASE_URL is given. */
  async startApi(options: StartOptions): Promise<ServiceProcess> {
    const port = options.environment['PORT'] ?? String(await freePort());
    const environment = { ...options.environment, PORT: port };
    return this.start('main.js', { ...options, environment }, { port, readyLine: /^ready in /m });
  }

  /** Only a worker. With WORKER_PORT, `baseUrl` is that port. */
  async startWorker(options: StartOptions): Promise<ServiceProcess> {
    const port = options.environment['WORKER_PORT'] ?? String(await freePort());
    const environment = { ...options.environment, WORKER_PORT: port };
    return this.start('worker.js', { ...options, environment }, { port, readyLine: /^worker ready$/m });
  }

  /** Kills what still runs, servers of data folders included, and removes the folders. */
  async close(): Promise<void> {
    for (const child of this.started) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    for (const folder of this.dataFolders) await killPostgres(folder);
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }

  private start(
    file: string,
    { environment, user, programs = 'dist', nodeOptions = [], within = [] }: StartOptions,
    { port, readyLine }: { port: string; readyLine: RegExp },
  ): ServiceProcess {
    const nodeArguments = ['--disable-warning=ExperimentalWarning', ...nodeOptions];
    const command = [...within, process.execPath, ...nodeArguments, resolve(programs, file)];
    const child = spawn(command[0] ?? '', command.slice(1), {
      // A separate folder, so that no `.env` of the checkout is read.
      cwd: this.folder(),
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: tmpdir(), LOG_LEVEL: 'warn', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    });
    this.started.push(child);
    if (environment['DATA_DIR']) this.dataFolders.add(environment['DATA_DIR']);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    // 'close' comes after the last output, 'exit' may come before it.
    let exit: Exit | null = null;
    child.once('close', (code, signal) => (exit = { code, signal }));

    const waitForExit = async (deadlineMs = STOP_DEADLINE_MS): Promise<Exit> => {
      try {
        return await until(`${file} ends`, () => exit, deadlineMs);
      } catch (cause) {
        throw new Error(`${file} did not end within ${deadlineMs} ms. It wrote:\n${output}`, { cause });
      }
    };
    const end = (signal: NodeJS.Signals): Promise<Exit> => {
      child.kill(signal);
      return waitForExit();
    };
    return {
      pid: child.pid ?? 0,
      baseUrl: `http://${environment['HOST'] ?? '127.0.0.1'}:${port}`,
      output: () => output,
      ready: async () => {
        await until(`${file} is ready or ends`, () => exit ?? readyLine.test(output));
        if (exit) throw new Error(`${file} ended before it was ready:\n${output}`);
      },
      exit: waitForExit,
      signal: (signal) => void child.kill(signal),
      stop: () => end('SIGINT'),
      kill: () => end('SIGKILL'),
    };
  }
}

/** A service for one test file, with a new data folder by default. */
export interface LoneService extends ServiceProcess {
  dataDir: string;
}

/**
 * Starts one service, and resolves once it is ready. `stop()` removes everything created for it.
 */
export async function startLoneService(environment: Record<string, string> = {}): Promise<LoneService> {
  const processes = new Processes();
  const dataDir = environment['DATA_DIR'] ?? processes.dataFolder();
  const service = await processes.startApi({ environment: { DATA_DIR: dataDir, ...environment } });
  try {
    await service.ready();
  } catch (error) {
    await processes.close();
    throw error;
  }
  const stop = async (): Promise<Exit> => {
    const exit = await service.stop();
    await processes.close();
    return exit;
  };
  return { ...service, dataDir, stop };
}

/**
 * Stops processes together; returns, for each with a code other than 0, how it ended and its
 * output.
 */
export async function stopAll(processes: ServiceProcess[]): Promise<string[]> {
  const exits = await Promise.all(processes.map((each) => each.stop()));
  return exits.flatMap(({ code, signal }, index) =>
    code === 0 ? [] : [`ended with ${signal ?? code}:\n${processes[index]?.output()}`],
  );
}

/** The pid of the embedded server of a data folder, or null where none runs. */
export function postmasterOf(dataDir: string): number | null {
  const pidFile = join(dataDir, 'postgres', 'data', 'postmaster.pid');
  if (!existsSync(pidFile)) return null;
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  return processTable().some((entry) => entry.pid === pid && entry.command.includes('postgres')) ? pid : null;
}

/** `kill -9` of the embedded server: the postmaster and every process of it. Returns how many that were. */
export async function killPostgres(dataDir: string): Promise<number> {
  const postmaster = postmasterOf(dataDir);
  return postmaster === null ? 0 : killTree(postmaster);
}

/** `kill -9` of a process and its children. Returns how many that were. */
export async function killTree(root: number): Promise<number> {
  const pids = processTable()
    .filter(({ pid, parent }) => pid === root || parent === root)
    .map(({ pid }) => pid);
  for (const pid of pids) signalIfThere(pid, 'SIGKILL');
  await until('all of them are dead', () => pids.every((pid) => !isThere(pid)));
  return pids.length;
}

/** Stops or continues the embedded server; the postmaster first, so that it has no child that we do not see. */
export function signalPostgres(dataDir: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const postmaster = postmasterOf(dataDir);
  if (postmaster === null) throw new Error('no server is running');
  signalIfThere(postmaster, signal);
  for (const { pid, parent } of processTable()) if (parent === postmaster) signalIfThere(pid, signal);
}

/** The children of a process, by the file name of their program. */
export function childrenOf(parent: number): Map<string, number> {
  const children = processTable().filter((entry) => entry.parent === parent && entry.state !== 'Z');
  return new Map(children.map(({ pid }) => [programOf(pid), pid]));
}

/** The children of a process. */
export function childPids(parent: number): number[] {
  return processTable()
    .filter((entry) => entry.parent === parent && entry.state !== 'Z')
    .map(({ pid }) => pid);
}

/** Whether a process is running. */
export function isRunning(pid: number): boolean {
  return isThere(pid);
}

function programOf(pid: number): string {
  const command = existsSync('/proc/self/cmdline')
    ? readFileSync(join('/proc', String(pid), 'cmdline'), 'utf8').replaceAll('\0', ' ')
    : execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  return /([\w-]+\.js)/.exec(command)?.[1] ?? '';
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isThere(pid: number): boolean {
  return processTable().some((entry) => entry.pid === pid && entry.state !== 'Z');
}

interface ProcessEntry {
  pid: number;
  parent: number;
  state: string;
  command: string;
}

/** Every process of the machine: from /proc if it exists, since slim images have no `ps`. */
function processTable(): ProcessEntry[] {
  if (existsSync('/proc/self/stat')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => statOf(name));
  }
  return execFileSync('ps', ['-A', '-o', 'pid=,ppid=,state=,comm='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state = '', ...command] = line.trim().split(/\s+/);
      return {
        pid: Number(pid),
        parent: Number(parent),
        state: state.slice(0, 1),
        command: command.join(' '),
      };
    });
}

function statOf(pid: string): ProcessEntry[] {
  try {
    const stat = readFileSync(join('/proc', pid, 'stat'), 'utf8');
    // The command is in parentheses and may contain some itself.
    const [, command = '', state = '', parent] = /^\d+ \((.*)\) (\S) (\d+)/s.exec(stat) ?? [];
    return [{ pid: Number(pid), parent: Number(parent), state, command }];
  } catch {
    // It ended while we read.
    return [];
  }
}
