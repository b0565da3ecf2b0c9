import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Behaviour } from '../support/fakes/receiver.js';

export interface ReceiverCall {
  id: number;
  call: 'behave' | 'disconnectIdle' | 'counts';
  behaviour?: Behaviour;
}

/** The reply 0 comes unasked, once it listens. */
export interface ReceiverReply {
  id: number;
  result: unknown;
}

/** The lab's hold on the receiver's process. */
export class ReceiverHandle {
  private calls = 0;
  private readonly open = new Map<number, (result: unknown) => void>();

  private constructor(
    private readonly child: ChildProcess,
    readonly port: number,
    readonly caFile: string,
  ) {
    child.on('message', ({ id, result }: ReceiverReply) => {
      this.open.get(id)?.(result);
      this.open.delete(id);
    });
  }

  /** `hosts` are the names in its certificate, the address on which it listens first. */
  static async start(hosts: string[], within: string[] = []): Promise<ReceiverHandle> {
    const [program = process.execPath, ...given] = [...within, process.execPath, ...process.execArgv];
    const child = fork(new URL('./receiver.process.ts', import.meta.url), {
      serialization: 'advanced',
      env: { ...process.env, LAB_HOSTS: JSON.stringify(hosts) },
      execPath: program,
      execArgv: given,
    });
    const [{ result }] = (await once(child, 'message')) as [ReceiverReply];
    const { port, caFile } = result as { port: number; caFile: string };
    return new ReceiverHandle(child, port, caFile);
  }

  async behave(behaviour: Behaviour): Promise<void> {
    await this.ask({ call: 'behave', behaviour });
  }

  async disconnectIdle(): Promise<void> {
    await this.ask({ call: 'disconnectIdle' });
  }

  /** How often each record came whole, and how often it came and was broken off by the receiver. */
  counts(): Promise<{ taken: Map<string, number>; broken: Map<string, number> }> {
    return this.ask({ call: 'counts' }) as Promise<{
      taken: Map<string, number>;
      broken: Map<string, number>;
    }>;
  }

  async close(): Promise<void> {
    this.child.disconnect();
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }

  private ask(call: Omit<ReceiverCall, 'id'>): Promise<unknown> {
    this.calls += 1;
    const id = this.calls;
    return new Promise((resolve) => {
      this.open.set(id, resolve);
      this.child.send({ ...call, id });
    });
  }
}
