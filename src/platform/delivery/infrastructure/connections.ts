import type { Socket } from 'node:net';
import { AlarmClock, NO_ALARM, type Sleeper } from '../../time/alarm-clock.js';
import { type AddressLimiter, type Connect, connectTarget, Snoozed } from './guarded-connector.js';

/** The user of a connection: one request, until its response is complete. */
export interface ConnectionUser {
  /** Limits the addresses that it may use. */
  readonly limiter: AddressLimiter;
  /** The connection is open and unused; write the request now. */
  onConnection(connection: Connection): void;
  /** `bytes` is only valid until this returns. */
  onBytes(bytes: Buffer): void;
  /**
   * Connecting failed, or the connection closed. null: closed without an error; `SHUT_DOWN`: by us;
   * `Snoozed`: the addresses are over their limits.
   */
  onClosed(error: Error | null): void;
}

/** The error of connections closed by a shutdown. A single instance, because its stack trace is unused. */
export const SHUT_DOWN = new Error('The service is shutting down.');

/** A connection to a receiver. It carries one request at a time. */
export class Connection implements Sleeper {
  /** Whether it carried an earlier request. */
  isReused = false;
  place = NO_ALARM;
  /** The receiver's; '' if the connection closed right after it was opened. */
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

  /** The response is complete: keep the connection idle for this long, or close it if 0. */
  release(keepMs: number): void {
    this.user = null;
    this.isReused = true;
    if (keepMs > 0) this.connections.keep(this, keepMs);
    else this.close();
  }

  /** The idle time is over. */
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

/** Pool of connections to receivers, reused for the same origin and shared by all projects. */
export class Connections {
  /**
   * Idle connections by origin, the most recently used last. An empty entry stays while the
   * origin's connections work, and is deleted when one closes: an entry created and deleted per
   * delivery would make the Map rehash again and again (`AlarmClock`).
   */
  private readonly idle = new Map<string, Connection[]>();
  private readonly sockets = new Set<Socket>();
  private readonly clock = new AlarmClock();
  /**
   * Requests that are written to reused connections on the next turn of the event loop. This lets
   * pending data arrive first: a close, or an unsolicited response (a proxy's 408 on idle), which
   * would be mistaken for the response.
   */
  private goingOut: { connection: Connection; user: ConnectionUser }[] = [];
  private isDestroyed = false;

  constructor(private readonly connect: Connect) {}

  /** Gives the user an idle connection, or a new one if all are in use or it must be `fresh`. */
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

  /** Keeps an unused connection. */
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
    const socket = this.connect(connectTarget(url), user.limiter, {
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
