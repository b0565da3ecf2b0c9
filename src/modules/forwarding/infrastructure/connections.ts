import type { Socket } from 'node:net';
import { AlarmClock, NO_ALARM, type Sleeper } from '../../shared/alarm-clock.js';
import { type AddressLimiter, Snoozed } from './address-limiter.js';
import { type Connect, targetOf } from './guarded-connector.js';

/** Who uses a connection: one request, until its answer is whole. */
export interface ConnectionUser {
  /** Limits the addresses that it may use. */
  readonly limiter: AddressLimiter;
  /** It is there, and carries nothing else: `write` what is to be sent. */
  onConnection(connection: Connection): void;
  /** `bytes` is only valid until this returns. */
  onBytes(bytes: Buffer): void;
  /**
   * No connection came about, or it has ended. null: it was closed without an error; `SHUT_DOWN`: by us; `Snoozed`: the
   * addresses are over their limits.
   */
  onClosed(error: Error | null): void;
}

/** The error of connections closed by a shutdown. A single instance, because its stack trace is unused. */
export const SHUT_DOWN = new Error('The service is shutting down.');

/** A connection to a receiver. It carries one request at a time. */
export class Connection implements Sleeper {
  /** Whether it has carried a request before the one at hand. */
  isReused = false;
  place = NO_ALARM;
  /** The receiver's; '' where the connection was closed as soon as it came about. */
  readonly address: string;
  private user: ConnectionUser | null = null;
  private isOpen = true;

  constructor(
    private readonly socket: Socket,
    readonly origin: string,
    private readonly connections: Connections,
  ) {
    this.address = socket.remoteAddress ?? '';
    socket.on('end', () => this.close());
    socket.on('error', (error) => this.close(error));
    socket.on('close', () => this.close());
    socket.resume();
  }

  onBytes(bytes: Buffer): void {
    if (this.user) this.user.onBytes(bytes);
    // Bytes received before any request would be taken for the next response.
    else this.close();
  }

  giveTo(user: ConnectionUser): void {
    if (!this.isOpen) return user.onClosed(null);
    this.user = user;
    user.onConnection(this);
  }

  write(text: string): void {
    this.socket.write(text, 'utf8');
  }

  /** The answer is whole: it is kept for another request for so long, or closed where that is 0. */
  release(keepMs: number): void {
    this.user = null;
    this.isReused = true;
    if (keepMs > 0) this.connections.keep(this, keepMs);
    else this.close();
  }

  /** It has been kept for long enough. */
  onAlarm(): void {
    this.close();
  }

  close(error: Error | null = null): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.socket.destroy();
    this.connections.forget(this);
    this.user?.onClosed(error);
  }
}

/** The connections to receivers, kept for the next request to the same origin and shared by all projects. */
export class Connections {
  /**
   * Those that carry nothing, by origin, the one used last at the end. An entry stays while its connections work, and goes
   * with one that is closed: entries that come and go with each delivery would renew the Map again and again (`AlarmClock`).
   */
  private readonly idle = new Map<string, Connection[]>();
  private readonly sockets = new Set<Socket>();
  private readonly clock = new AlarmClock();
  /**
   * Requests that go out on kept connections when the event loop has turned once. By then is read what had come on them
   * before, such as their end, or an answer to nothing (the 408 of a proxy that is tired of waiting), which would be taken
   * for the answer.
   */
  private goingOut: { connection: Connection; user: ConnectionUser }[] = [];
  private isDestroyed = false;

  constructor(private readonly connect: Connect) {}

  /** Gives the user a kept connection, or a new one where there is none, or it must be `fresh`. */
  use(url: URL, user: ConnectionUser, { fresh = false } = {}): void {
    const kept = fresh ? undefined : this.idle.get(url.origin)?.at(-1);
    if (!kept) return this.open(url, user);
    const waitMs = user.limiter.waitMs(kept.address);
    if (waitMs > 0) return user.onClosed(new Snoozed(waitMs));
    user.limiter.use(kept.address);
    const connection = this.takeIdle(url.origin) ?? kept;
    this.goingOut.push({ connection, user });
    if (this.goingOut.length === 1) setImmediate(() => setImmediate(() => this.goOut()));
  }

  /** Keeps a connection that carries nothing. */
  keep(connection: Connection, keepMs: number): void {
    const { origin } = connection;
    const others = this.idle.get(origin);
    if (others) others.push(connection);
    else this.idle.set(origin, [connection]);
    this.clock.set(connection, performance.now() + keepMs);
  }

  /** A connection has been closed. */
  forget(connection: Connection): void {
    const { origin } = connection;
    this.clock.clear(connection);
    const others = this.idle.get(origin)?.filter((other) => other !== connection) ?? [];
    if (others.length > 0) this.idle.set(origin, others);
    else this.idle.delete(origin);
  }

  /** Closes all of them, also those that are being opened. */
  destroy(): void {
    this.isDestroyed = true;
    for (const socket of this.sockets) socket.destroy(SHUT_DOWN);
  }

  private takeIdle(origin: string): Connection | undefined {
    const connection = this.idle.get(origin)?.pop();
    if (connection) this.clock.clear(connection);
    return connection;
  }

  private goOut(): void {
    const goingOut = this.goingOut;
    this.goingOut = [];
    for (const { connection, user } of goingOut) connection.giveTo(user);
  }

  private open(url: URL, user: ConnectionUser): void {
    if (this.isDestroyed) return user.onClosed(SHUT_DOWN);
    let connection: Connection | undefined;
    const socket = this.connect(targetOf(url), user.limiter, {
      onFailure: (error) => user.onClosed(this.isDestroyed ? SHUT_DOWN : error),
      onOpen: (connected) => {
        connection = new Connection(connected, url.origin, this);
        connection.giveTo(user);
      },
      onBytes: (bytes) => connection?.onBytes(bytes),
    });
    if (!socket) return;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
  }
}
