import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, createSecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import { type EndpointExceptions, isAddressAllowed } from '../../network/address-policy.js';
import { asLookup, judgeAddresses, type NameResolver } from '../../network/name-resolver.js';
import { trustedRootsAnd } from '../../network/trusted-roots.js';
import { AlarmClock, NO_ALARM } from '../../time/alarm-clock.js';
import type { FailureCategory } from '../domain/outcome.js';

/** Limits attempts by address, once the addresses of a hostname are resolved. */
export interface AddressLimiter {
  /** Milliseconds until the attempt may use the address; 0: now. */
  waitMs(address: string): number;
  /** Records that the attempt opens or reuses a connection to the address. */
  use(address: string): void;
}

export const NO_LIMIT: AddressLimiter = { waitMs: () => 0, use: () => {} };

/** The attempt was not made, because every address of its endpoint is over its limit. */
export class Snoozed extends Error {
  constructor(readonly afterMs: number) {
    super('The addresses of the endpoint get no more attempts for now.');
  }
}

const HTTPS_PORT = 443;
/** Time before the next of several addresses is tried in parallel. */
const ADDRESS_ATTEMPT_MS = 1000;
/** Idle time after which TCP probes the receiver. */
const TCP_KEEP_ALIVE_MS = 60_000;
/** Cached TLS sessions, least recently used evicted; resuming one saves most of a handshake. */
const SESSIONS_MAX = 100;
/** The most that one read returns: a TLS record. */
const READ_BYTES_MAX = 16 * 1024;

/** Why connecting failed. Its message is for the owner. */
export class ConnectFailure extends Error {
  constructor(
    readonly category: FailureCategory,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The target of a connection. */
export interface ConnectTarget {
  /** A name or an address, IPv6 without brackets. */
  hostname: string;
  port: number;
}

/** Events of a connection: it opens or fails, once; then it receives. */
interface ConnectEvents {
  onOpen(socket: Socket): void;
  onFailure(error: ConnectFailure | Snoozed): void;
  /** `bytes` is only valid until this returns: all connections read into the same buffer. */
  onBytes(bytes: Buffer): void;
}

/**
 * Opens a connection to an address within its limit, or fails with `Snoozed` if all are over it. The returned
 * socket may be destroyed before that. undefined: no connection is opened; `onFailure` gets the reason.
 */
export type Connect = (
  target: ConnectTarget,
  limiter: AddressLimiter,
  events: ConnectEvents,
) => Socket | undefined;

/**
 * Opens TLS connections only to allowed addresses: every resolved address is checked, and the
 * connection uses the checked address, so a name cannot resolve differently in between (design
 * §6.5). DNS, connect and TLS share `timeoutMs`.
 */
export function guardedConnector(options: {
  resolver: NameResolver;
  exceptions: EndpointExceptions;
  timeoutMs: number;
  /** PEM of additional certificate authorities; empty: only the built-in ones. */
  extraCa: string;
}): Connect {
  const { resolver, exceptions, timeoutMs, extraCa } = options;
  // Once, because reading 150 certificates takes milliseconds.
  const secureContext = extraCa ? createSecureContext({ ca: trustedRootsAnd(extraCa) }) : undefined;
  const sessions = new LRUCache<string, Buffer>({ max: SESSIONS_MAX });
  // Shared: Node would allocate 64 KiB for each read.
  const readBuffer = Buffer.alloc(READ_BYTES_MAX);
  const clock = new AlarmClock();

  return (target, limiter, events) => {
    const { hostname, port } = target;
    const key = targetKey(target);
    const exempt = exceptions.targets.has(key);
    const isAddress = isIP(hostname) !== 0;
    const refusal = isAddress ? refusalOf(hostname, { exceptions, exempt, limiter }) : null;
    if (refusal) {
      queueMicrotask(() => events.onFailure(refusal));
      return undefined;
    }
    const session = sessions.get(key);
    const socket = connectTls({
      host: hostname,
      port,
      servername: isAddress ? '' : hostname,
      ALPNProtocols: ['http/1.1'],
      lookup: guardedLookup({ resolver, exceptions, exempt, limiter }),
      ...tcpOptions(readBuffer, events),
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment has no effect.
      rejectUnauthorized: true,
      ...(secureContext && { secureContext }),
      ...(session && { session }),
    });
    socket.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    const progress = watchProgress(socket, isAddress);
    const deadline = { place: NO_ALARM, onAlarm: () => socket.destroy(timeoutOf(progress)) };
    clock.set(deadline, performance.now() + timeoutMs);
    let isOpen = false;
    socket.once('secureConnect', () => {
      clock.clear(deadline);
      isOpen = true;
      events.onOpen(socket);
    });
    socket.on('error', (error) => {
      clock.clear(deadline);
      // The user of an open connection handles its errors.
      if (!isOpen) events.onFailure(failureOf(error, progress));
    });
    socket.on('session', (session) => sessions.set(key, session));
    socket.on('connectionAttempt', (address: string) => limiter.use(address));
    return socket;
  };
}

/** Options that `tls.connect` passes on to TCP, which its types lack. */
function tcpOptions(buffer: Buffer, events: ConnectEvents): Omit<TcpNetConnectOpts, 'port'> {
  return {
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    onread: {
      buffer,
      callback: (length) => {
        events.onBytes(buffer.subarray(0, length));
        return true;
      },
    },
  };
}

/** The target of an HTTPS URL. */
export function connectTarget({ hostname, port }: URL): ConnectTarget {
  return { hostname: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? HTTPS_PORT : Number(port) };
}

function targetKey({ hostname, port }: ConnectTarget): string {
  return `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`;
}

/** Why a literal address is not connected to; null: it is allowed. */
function refusalOf(
  address: string,
  {
    exceptions,
    exempt,
    limiter,
  }: { exceptions: EndpointExceptions; exempt: boolean; limiter: AddressLimiter },
): ConnectFailure | Snoozed | null {
  if (!exempt && !isAddressAllowed(address, exceptions)) return blocked();
  const waitMs = limiter.waitMs(address);
  return waitMs > 0 ? new Snoozed(waitMs) : null;
}

/**
 * A `lookup` for `net.connect` that fails unless every address is allowed, and returns those within
 * their limits.
 */
function guardedLookup({
  resolver,
  exceptions,
  exempt,
  limiter,
}: {
  resolver: NameResolver;
  exceptions: EndpointExceptions;
  exempt: boolean;
  limiter: AddressLimiter;
}): LookupFunction {
  const judge = (addresses: string[]): LookupAddress[] => {
    const judgement = judgeAddresses(addresses, { exceptions, exempt });
    if (judgement === 'unresolved')
      throw new ConnectFailure('dns', 'The hostname of the endpoint could not be resolved.');
    if (judgement === 'not_public') throw blocked();
    const waits = addresses.map((address) => ({ address, waitMs: limiter.waitMs(address) }));
    const open = waits.filter(({ waitMs }) => waitMs === 0);
    if (open.length === 0) throw new Snoozed(Math.min(...waits.map(({ waitMs }) => waitMs)));
    return open.map(({ address }) => ({ address, family: isIP(address) }));
  };
  return asLookup(async (hostname) => judge(await resolver.resolve(hostname)));
}

/** The progress of a connection attempt. */
interface Progress {
  resolved: boolean;
  connected: boolean;
}

function watchProgress(socket: Socket, resolved: boolean): Progress {
  const progress = { resolved, connected: false };
  socket.once('lookup', () => (progress.resolved = true));
  socket.once('connect', () => (progress.connected = true));
  return progress;
}

function failureOf(error: Error, progress: Progress): ConnectFailure | Snoozed {
  if (error instanceof ConnectFailure || error instanceof Snoozed) return error;
  if (!progress.connected)
    return new ConnectFailure('connect', 'The endpoint refused the connection.', { cause: error });
  return new ConnectFailure('tls', tlsSentence(error), { cause: error });
}

/** A sentence for errors that owners can fix; Node's own messages may repeat names of the certificate. */
function tlsSentence(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'CERT_HAS_EXPIRED') return "The endpoint's certificate has expired.";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "The endpoint's certificate is for a different hostname.";
  if (code.includes('SELF_SIGNED') || code.includes('VERIFY') || code.includes('ISSUER'))
    return "The endpoint's certificate is not signed by a trusted authority.";
  return 'The TLS connection to the endpoint failed.';
}

function timeoutOf({ resolved, connected }: Progress): ConnectFailure {
  const step = connected ? 'The TLS handshake' : resolved ? 'The connection' : 'Resolving the hostname';
  return new ConnectFailure('timeout', `${step} took too long.`);
}

function blocked(): ConnectFailure {
  return new ConnectFailure('blocked_address', 'The endpoint resolves to an address that is not public.');
}
