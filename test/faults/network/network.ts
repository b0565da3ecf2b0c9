import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Addresses of all parts; `.1` is the lab's, on the bridge. */
const SUBNET = '10.91.0';
const FIRST_PART = 11;
const DETOUR = new URL('./impair.py', import.meta.url).pathname;
/** Length of a TCP segment without data: the headers of IP and TCP, and timestamps. */
const EMPTY_SEGMENT_BYTES = 52;

/** Options of `tc netem`. */
export interface Impairment {
  delayMs?: number;
  jitterMs?: number;
  lossPercent?: number;
  duplicatePercent?: number;
}

/**
 * Network namespaces joined by a bridge that can drop packets. They end with the process, which `isolated()` started in
 * a separate network, mount and process namespace.
 */
export class Network<Part extends string> {
  private readonly addresses: ReadonlyMap<Part, string>;

  constructor(parts: readonly Part[]) {
    this.addresses = new Map(parts.map((part, index) => [part, `${SUBNET}.${FIRST_PART + index}`]));
    mkdirSync('/run/netns', { recursive: true });
    command('mount -t tmpfs tmpfs /run/netns');
    command('ip link set lo up');
    command('ip link add bridge0 type bridge');
    command(`ip addr add ${SUBNET}.1/24 dev bridge0`);
    command('ip link set bridge0 up');
    for (const [part, address] of this.addresses) {
      command(`ip netns add ${part}`);
      command(`ip link add to-${part} type veth peer name eth0 netns ${part}`);
      command(`ip link set to-${part} master bridge0 up`);
      command(`ip -n ${part} addr add ${address}/24 dev eth0`);
      command(`ip -n ${part} link set eth0 up`);
      command(`ip -n ${part} link set lo up`);
    }
  }

  addressOf(part: Part): string {
    const address = this.addresses.get(part);
    if (address === undefined) throw new Error(`there is no part ${part}`);
    return address;
  }

  /** The command that runs a program in the part. */
  within(part: Part): string[] {
    return ['ip', 'netns', 'exec', part];
  }

  /** Drops packets from `from` to `to`, and those back unless `oneWay`. */
  async cut(from: Part, to: Part, { oneWay = false } = {}): Promise<void> {
    await this.drop([this.rule(from, to), ...(oneWay ? [] : [this.rule(to, from)])]);
  }

  /** Drops all packets of the part, except the lab's. */
  async cutOff(part: Part): Promise<void> {
    const address = this.addressOf(part);
    await this.drop([`ip saddr ${address}`, `ip daddr ${address}`]);
  }

  /** Connections are accepted, then data, FIN and RST are dropped. */
  async silence(one: Part, other: Part): Promise<void> {
    const rules = [this.rule(one, other), this.rule(other, one)];
    await this.drop(
      rules.flatMap((rule) => [
        `${rule} tcp flags & (fin|rst) != 0`,
        `${rule} tcp flags & syn == 0 ip length > ${EMPTY_SEGMENT_BYTES}`,
      ]),
    );
  }

  /** Undoes `cut`, `cutOff` and `silence`. */
  async join(): Promise<void> {
    await run('nft', ['add table bridge faults; delete table bridge faults']);
  }

  /**
   * Delays, drops or duplicates packets that the part sends, until the returned function is called: by `tc netem` if the
   * kernel has it, else by a program that they pass through.
   */
  async impair(part: Part, impairment: Impairment): Promise<() => Promise<void>> {
    const { delayMs = 0, jitterMs = 0, lossPercent = 0, duplicatePercent = 0 } = impairment;
    const queue = ['netns', 'exec', part, 'tc', 'qdisc'];
    const rules = `delay ${delayMs}ms ${jitterMs}ms loss ${lossPercent}% duplicate ${duplicatePercent}%`;
    try {
      await run('ip', [...queue, 'add', 'dev', 'eth0', 'root', 'netem', ...rules.split(' ')]);
      return async () => void (await run('ip', [...queue, 'del', 'dev', 'eth0', 'root']));
    } catch (error) {
      if (!/qdisc kind is unknown/.test(String(error))) throw error;
    }
    const options = {
      '--address': this.addressOf(part),
      '--delay': delayMs,
      '--jitter': jitterMs,
      '--loss': lossPercent,
      '--duplicate': duplicatePercent,
    };
    const given = Object.entries(options).flatMap(([name, value]) => [name, String(value)]);
    const detour = spawn('ip', ['netns', 'exec', part, 'python3', DETOUR, ...given]);
    await once(detour.stdout, 'data');
    return async () => {
      const ended = once(detour, 'exit');
      detour.kill('SIGTERM');
      await ended;
    };
  }

  private rule(from: Part, to: Part): string {
    return `ip saddr ${this.addressOf(from)} ip daddr ${this.addressOf(to)}`;
  }

  private async drop(rules: string[]): Promise<void> {
    const drops = rules.map((rule) => `${rule} drop;`).join(' ');
    await run('nft', [
      `table bridge faults { chain forward { type filter hook forward priority 0; ${drops} } ; }`,
    ]);
  }
}

function command(text: string): void {
  const [program = '', ...given] = text.split(' ');
  execFileSync(program, given, { stdio: ['ignore', 'ignore', 'inherit'] });
}
