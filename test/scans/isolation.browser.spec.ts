import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DATAGRAM_TECHNIQUES, REFUSED_TECHNIQUES, TECHNIQUES } from './isolation/attempts.js';
import { EVERY_ADDRESS } from './isolation/namespace.js';
import type { ProbeInput, ProbeResult } from './isolation/probe.js';

const PROBE = ['--import', './test/support/typescript.mjs', 'test/scans/isolation/probe.ts'];

/** Host names with their addresses. */
const NAMES = {
  'private.example': ['10.0.0.1'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'loopback6.example': ['::1'],
};

/** No TCP connection to multicast, broadcast and link-local addresses exists here, nor do these names. */
const UNREACHABLE = /^(22[4-9]|23\d|255|127\.255\.255)\.|^\[f(e80|f02)|^(?!localhost)[a-z]/i;

const hosts = [...new Set([...forwardingHosts(), ...privateAddresses(), ...Object.keys(NAMES)])];
const refusal = namespaceRefusal();
let result: ProbeResult;

/** Hosts that endpoint-policy.spec.ts refuses because they are not public. */
function forwardingHosts(): string[] {
  const spec = readFileSync('src/platform/delivery/domain/endpoint-policy.spec.ts', 'utf8');
  const end = spec.indexOf("cause: 'not_public'");
  const list = spec.slice(spec.lastIndexOf('it.each([', end), end);
  return [...list.matchAll(/'(https:\/\/[^']+)'/g)].map(
    ([, url = '']) => /^https:\/\/([^/]+)/.exec(url)?.[1] ?? '',
  );
}

/** Addresses that address-policy.spec.ts calls not public. */
function privateAddresses(): string[] {
  const spec = readFileSync('src/platform/network/address-policy.spec.ts', 'utf8');
  const end = spec.indexOf("'%s is not public'");
  const lists = spec.slice(spec.lastIndexOf('it.each([', end), end);
  const addresses = [...lists.matchAll(/'([0-9a-f.:]+)'/g)].map(([, address = '']) => address);
  return addresses.map((address) => (address.includes(':') ? `[${address}]` : address));
}

/** Why this machine has no network namespaces; null: it has. */
function namespaceRefusal(): string | null {
  if (process.getuid?.() !== 0) return 'only root can create network namespaces';
  const { status, stderr } = spawnSync('unshare', ['--net', '--mount', 'sh', '-c', EVERY_ADDRESS], {
    encoding: 'utf8',
  });
  return status === 0 ? null : `network namespaces cannot be created: ${stderr}`;
}

/** It takes 4 minutes on two quiet cores, and longer beside other suites: its Chromium has the lowest priority. */
const NET_MS = 1_200_000;

const isolated = refusal === null ? describe : describe.skip;

isolated(`a hostile page behind the guarded proxy${refusal === null ? '' : ` (skipped: ${refusal})`}`, () => {
  beforeAll(async () => {
    const input: ProbeInput = { hosts, names: NAMES };
    const command = `${EVERY_ADDRESS}\nexec "$0" "$@"`;
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', ...PROBE];
    const { stdout } = await promisify(execFile)(
      'unshare',
      ['--net', '--mount', 'sh', '-c', command, ...program],
      {
        timeout: NET_MS,
        maxBuffer: 10_000_000,
        env: { ...process.env, PROBE_INPUT: JSON.stringify(input) },
      },
    );
    result = JSON.parse(stdout) as ProbeResult;
  }, NET_MS + 10_000);

  it('tries addresses that the machine itself reaches', () => {
    expect(hosts.length).toBeGreaterThanOrEqual(65);
    const unreachable = hosts.filter((host) => !result.reachable.includes(host));
    expect(unreachable.filter((host) => !UNREACHABLE.test(host))).toEqual([]);
    // Of others, Chromium does not even ask the proxy.
    expect(result.refused.length).toBeGreaterThan(110);
  });

  it('uses techniques that reach their target where nothing holds them back', () => {
    const techniques = [...TECHNIQUES, ...REFUSED_TECHNIQUES, ...DATAGRAM_TECHNIQUES];
    // A browser that is driven from outside does not render pages ahead.
    expect(result.unisolated).toEqual(techniques.filter((each) => each !== 'prerender').toSorted());
  });

  it('reaches the host that it may reach in every way', () => {
    expect(result.allowed.filter((each) => !REFUSED_TECHNIQUES.includes(each))).toEqual(
      TECHNIQUES.toSorted(),
    );
  });

  it('reaches none of the addresses', () => {
    expect(result.reached).toEqual([]);
  });

  it('sends no packet beside the proxy', () => {
    expect(result.beside).toMatchObject({ connections: 0, datagrams: 0 });
    expect(result.beside.relayed).toBeGreaterThan(100);
    // The counters count; a refused connection may be tried again.
    const { connections, datagrams } = result.besideAfterLeak;
    expect(connections).toBeGreaterThanOrEqual(2);
    expect(datagrams).toBe(2);
  });
});
