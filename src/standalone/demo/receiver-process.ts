import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedRecord, readRecent, receiverFiles, receiverUrl } from './demo-receiver.js';
import type { FromReceiver, ToReceiver } from './demo-receiver-program.js';

/** Pause before a crashed receiver is restarted. */
const RESTART_PAUSE_MS = 1_000;
const TOKEN_BYTES = 32;

interface ReceiverOptions {
  /** The folder of its log and certificate. */
  folder: string;
  /** The token that `POST /protected` requires. */
  token: string;
}

/** The demo's receiver with its token, which is created at the first start. The data folder exists. */
export function createReceiver(dataDir: string): ReceiverProcess {
  return new ReceiverProcess({ folder: join(dataDir, 'demo'), token: readOrCreateToken(dataDir) });
}

function readOrCreateToken(dataDir: string): string {
  const file = join(dataDir, 'demo-token');
  if (!existsSync(file)) writeFileSync(file, randomBytes(TOKEN_BYTES).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** The demo receiver in a separate process, so that its TLS and its log use no time of the service. */
export class ReceiverProcess {
  private child: ChildProcess | null = null;
  private stopping = false;
  private port = 0;
  /** The token that a project's deliveries carry; null if they carry none. Set before anything is delivered. */
  expectedToken: (projectId: string) => Promise<string | null> = () => Promise.resolve(this.options.token);
  readonly logFile: string;
  readonly caFile: string;

  constructor(private readonly options: ReceiverOptions) {
    ({ logFile: this.logFile, caFile: this.caFile } = receiverFiles(options.folder));
  }

  get token(): string {
    return this.options.token;
  }

  /** Host and port. */
  get target(): string {
    return new URL(this.url).host;
  }

  get url(): string {
    return receiverUrl(this.port);
  }

  /** The last requests, newest first. */
  received(): Promise<ReceivedRecord[]> {
    return readRecent(this.logFile);
  }

  /** Resolves once it listens. */
  async start(): Promise<void> {
    const child = fork(join(import.meta.dirname, 'demo-receiver-program.js'));
    this.child = child;
    const listening = Promise.withResolvers<void>();
    child.on('message', (message: FromReceiver) => {
      if (message.kind === 'token') void this.sendToken(child, message.projectId);
      else if (message.kind === 'failed') listening.reject(new Error(message.message));
      else {
        this.port = message.port;
        listening.resolve();
      }
    });
    child.on('exit', () => {
      listening.reject(new Error('the demo receiver has ended'));
      if (!this.stopping) void this.restart();
    });
    const { folder, token } = this.options;
    send(child, { kind: 'start', folder, token });
    await listening.promise;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    const { child } = this;
    if (!child || child.exitCode !== null || !child.connected) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }

  private async restart(): Promise<void> {
    await sleep(RESTART_PAUSE_MS, undefined, { ref: false });
    if (!this.stopping) await this.start().catch(() => {});
  }

  private async sendToken(child: ChildProcess, projectId: string): Promise<void> {
    try {
      send(child, { kind: 'token', projectId, token: await this.expectedToken(projectId) });
    } catch {
      send(child, { kind: 'unavailable', projectId });
    }
  }
}

function send(child: ChildProcess, message: ToReceiver): void {
  if (child.connected) child.send(message);
}
