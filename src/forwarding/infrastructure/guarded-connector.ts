import { AsyncLocalStorage } from 'node:async_hooks';
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createSecureContext, rootCertificates } from 'node:tls';
import { buildConnector } from 'undici';
import { AlarmClock } from '../../shared/alarm-clock.js';
import { asLookup, judgeAddresses } from '../../shared/guarded-lookup.js';
import { type EndpointExceptions, isAddressAllowed } from '../../shared/address-policy.js';
import type { FailureCategory } from '../domain/outcome.js';
import { type AddressLimiter, NO_LIMIT, Snoozed } from './address-limiter.js';
import type { NameResolver } from '../../shared/name-resolver.js';

const HTTPS_PORT = '443';
/** How long one of several addresses is tried before the next one is tried beside it. */
const ADDRESS_ATTEMPT_MS = 1000;

/** Why no connection came about. Its message is for the owner. */
export class ConnectFailure extends Error {
  constructor(
    readonly category: FailureCategory,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Opens a connection to an address within its limit, or fails with `Snoozed` if there is none. The returned socket may
 * be destroyed before that. undefined: no connection is opened; the callback gets the reason.
 */
export type Connect = (
  target: buildConnector.Options,
  limiter: AddressLimiter,
  callback: (...result: [error: Error, connected: null] | [error: null, connected: Socket]) => void,
) => Socket | undefined;

/**
 * Opens TLS connections to places that may be reached, and to no others: every resolved address is judged,
 * and the judged address is the one connected to, so a name cannot change its mind in between (design §6.5).
 * DNS, connect and TLS share `timeoutMs`.
 */
export function guardedConnector(options: {
  resolver: NameResolver;
  exceptions: EndpointExceptions;
  timeoutMs: number;
  /** PEM of further certificate authorities; empty: the built-in ones alone. */
  extraCa: string;
}): Connect {
  const { resolver, exceptions, timeoutMs, extraCa } = options;
  // Reading 150 certificates takes milliseconds: once, not for each connection.
  const secureContext = extraCa ? createSecureContext({ ca: [...rootCertificates, extraCa] }) : undefined;
  const tlsOptions = {
    allowH2: false,
    // The deadline below is exact; undici's own counts in half seconds. 0 turns that off.
    timeout: 0,
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment changes nothing.
    rejectUnauthorized: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    ...(secureContext && { secureContext }),
  };
  // undici's connector takes one lookup for all connections; this is the limiter of the one that is being opened.
  const limiters = new AsyncLocalStorage<AddressLimiter>();
  const open = (exempt: boolean) =>
    buildConnector({ ...tlsOptions, lookup: guardedLookup({ resolver, exceptions, exempt, limiters }) });
  const openGuarded = open(false);
  const openExempt = open(true);
  const clock = new AlarmClock();

  return (target, limiter, callback) => {
    const exempt = exceptions.targets.has(targetKey(target));
    const refusal =
      isIP(target.hostname) === 0 ? null : refusalOf(target.hostname, { exceptions, exempt, limiter });
    if (refusal) {
      queueMicrotask(() => callback(refusal, null));
      return undefined;
    }
    const connect = (exempt ? openExempt : openGuarded) as (
      ...args: Parameters<buildConnector.connector>
    ) => Socket;
    const socket = limiters.run(limiter, () =>
      connect(target, (error, connected) => {
        clock.clear(deadline);
        if (error) callback(failureOf(error, progress), null);
        else if (connected) callback(null, connected);
      }),
    );
    socket.on('connectionAttempt', (address: string) => limiter.use(address));
    const progress = watchProgress(socket, target.hostname);
    const deadline = { onAlarm: () => socket.destroy(timeoutOf(progress)) };
    clock.set(deadline, performance.now() + timeoutMs);
    return socket;
  };
}

function targetKey({ hostname, port }: buildConnector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return `${host}:${port || HTTPS_PORT}`;
}

/** Why a host that is an address is not connected to; null where it is. */
function refusalOf(
  address: string,
  {
    exceptions,
    exempt,
    limiter,
  }: { exceptions: EndpointExceptions; exempt: boolean; limiter: AddressLimiter },
): Error | null {
  if (!exempt && !isAddressAllowed(address, exceptions)) return blocked();
  const waitMs = limiter.waitMs(address);
  return waitMs > 0 ? new Snoozed(waitMs) : null;
}

/**
 * A `lookup` for `net.connect` that fails unless every address may be connected to, and returns those within
 * their limits.
 */
function guardedLookup({
  resolver,
  exceptions,
  exempt,
  limiters,
}: {
  resolver: NameResolver;
  exceptions: EndpointExceptions;
  exempt: boolean;
  limiters: AsyncLocalStorage<AddressLimiter>;
}): LookupFunction {
  const judge = (addresses: string[]): LookupAddress[] => {
    const judgement = judgeAddresses(addresses, { exceptions, exempt });
    if (judgement === 'unresolved') {
      throw new ConnectFailure('dns', 'The hostname of the endpoint could not be resolved.');
    }
    if (judgement === 'not_public') throw blocked();
    const limiter = limiters.getStore() ?? NO_LIMIT;
    const waits = addresses.map((address) => ({ address, waitMs: limiter.waitMs(address) }));
    const open = waits.filter(({ waitMs }) => waitMs === 0);
    if (open.length === 0) throw new Snoozed(Math.min(...waits.map(({ waitMs }) => waitMs)));
    return open.map(({ address }) => ({ address, family: isIP(address) }));
  };
  return asLookup(async (hostname) => judge(await resolver.resolve(hostname)));
}

/** How far a connection has come. */
interface Progress {
  resolved: boolean;
  connected: boolean;
}

function watchProgress(socket: Socket, hostname: string): Progress {
  const progress = { resolved: isIP(hostname) !== 0, connected: false };
  socket.once('lookup', () => (progress.resolved = true));
  socket.once('connect', () => (progress.connected = true));
  return progress;
}

function failureOf(error: Error, progress: Progress): ConnectFailure | Snoozed {
  if (error instanceof ConnectFailure || error instanceof Snoozed) return error;
  if (!progress.connected) {
    return new ConnectFailure('connect', 'The endpoint refused the connection.', { cause: error });
  }
  return new ConnectFailure('tls', tlsSentence(error), { cause: error });
}

/** A sentence for errors that owners can fix; Node's own messages may repeat names of the certificate. */
function tlsSentence(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'CERT_HAS_EXPIRED') return "The endpoint's certificate has expired.";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return "The endpoint's certificate is for a different hostname.";
  if (code.includes('SELF_SIGNED') || code.includes('VERIFY') || code.includes('ISSUER')) {
    return "The endpoint's certificate is not signed by a trusted authority.";
  }
  return 'The TLS connection to the endpoint failed.';
}

function timeoutOf({ resolved, connected }: Progress): ConnectFailure {
  const step = connected ? 'The TLS handshake' : resolved ? 'The connection' : 'Resolving the hostname';
  return new ConnectFailure('timeout', `${step} took too long.`);
}

function blocked(): ConnectFailure {
  return new ConnectFailure('blocked_address', 'The endpoint resolves to an address that is not public.');
}
