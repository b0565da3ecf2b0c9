import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { killTree } from '../../support/programs/processes.js';

/** Characters. */
const OUTPUT_SHOWN = 1_500;

interface ProgramOptions {
  /** The command that runs it in its part. */
  within: string[];
  /** Runs as Debian's user of PostgreSQL. */
  asPostgres?: boolean;
}

/** Debian's programs in the parts of the network. They end with the lab's process namespace. */
export class Programs {
  private readonly running = new Map<string, { child: ChildProcess; command: string[]; logFile: string }>();

  constructor(private readonly folder: string) {}

  /** Starts a program under a name; its output goes to a file. */
  start(name: string, command: string[], { within, asPostgres = false }: ProgramOptions): void {
    const user = asPostgres ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : [];
    this.spawn(name, [...within, ...user, ...command]);
  }

  /** `kill -9` of the program and its children. */
  async kill(name: string): Promise<void> {
    const { child } = this.get(name);
    this.running.delete(name);
    await killTree(child.pid ?? 0);
  }

  signal(name: string, signal: NodeJS.Signals): void {
    this.get(name).child.kill(signal);
  }

  /** Kills it, and starts it again after `pause`. */
  async restart(name: string, pause: () => Promise<void>): Promise<void> {
    const { command } = this.get(name);
    await this.kill(name);
    await pause();
    this.spawn(name, command);
  }

  /** Programs that ended unexpectedly, with their last output; they are restarted. */
  restartDead(): string[] {
    return [...this.running].flatMap(([name, { child, command }]) => {
      if (child.exitCode === null && child.signalCode === null) return [];
      const text = `${name} ended with ${child.signalCode ?? child.exitCode}: ${this.tail(name)}`;
      this.spawn(name, command);
      return [text];
    });
  }

  /** The end of a program's output; empty where it was never started. */
  tail(name: string): string {
    const program = this.running.get(name);
    return program ? readFileSync(program.logFile, 'utf8').slice(-OUTPUT_SHOWN) : '';
  }

  /** Starts a fake of the lab; returns its address. */
  async standIn(
    kind: 's3' | 'dns',
    options: { within: string[]; address: string; names?: object },
  ): Promise<string> {
    const [program = '', ...given] = [...options.within, process.execPath, ...process.execArgv];
    const child = fork(new URL('./stand-in.process.ts', import.meta.url), {
      execPath: program,
      execArgv: given,
      env: {
        ...process.env,
        LAB_STAND_IN: kind,
        LAB_ADDRESS: options.address,
        LAB_NAMES: JSON.stringify(options.names ?? {}),
      },
    });
    const [listensAt] = (await once(child, 'message')) as [string];
    return listensAt;
  }

  private get(name: string): { child: ChildProcess; command: string[]; logFile: string } {
    const program = this.running.get(name);
    if (!program) throw new Error(`${name} was never started`);
    return program;
  }

  private spawn(name: string, command: string[]): void {
    const logFile = join(this.folder, `${name}.log`);
    const log = openSync(logFile, 'a');
    const child = spawn(command[0] ?? '', command.slice(1), {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.running.set(name, { child, command, logFile });
  }
}
