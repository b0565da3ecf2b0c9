import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ephemeral ports: the system may hand those out before we listen on them. */
const FIRST_PORT = 20_000;
/** Each Jest worker has a separate range. */
const PORTS_PER_WORKER = 200;
const WORKERS_MAX = 60;

const worker = Number(process.env['JEST_WORKER_ID'] ?? 0) % WORKERS_MAX;
/** Runs beside this one begin elsewhere. */
let next = randomInt(PORTS_PER_WORKER);

/** A port on which nothing listens, and which stays free for the process that is going to. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + worker * PORTS_PER_WORKER + (next % PORTS_PER_WORKER);
    next += 1;
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
