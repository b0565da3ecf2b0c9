import { endingMessage } from './expected-errors.js';

const PARENT_WATCH_MS = 500;

/** Functions that undo the steps of a start; the last one runs first. */
export type Stops = (() => Promise<void>)[];

/**
 * Starts, then waits for a signal, then undoes the start, last step first. Each step adds to
 * `stops` as soon as there is something to undo, so that a start that fails half-way leaves nothing
 * running.
 */
export async function runUntilSignal(start: (stops: Stops) => Promise<void>): Promise<void> {
  await run(start, (stop) => {
    let isFirst = true;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        // npm forwards a signal that the terminal has already sent: a repeat of it does not mean
        // impatience.
        if (isFirst) process.stdout.write(`\n${signal}: shutting down gracefully\n`);
        isFirst = false;
        stop();
      });
    }
    stopWithNpm(stop);
  });
}

/** The same in a child process, which stops when its parent disconnects or is killed. */
export async function runUntilDisconnect(start: (stops: Stops) => Promise<void>): Promise<void> {
  await run(start, (stop) => {
    // Ctrl-C and process managers signal all processes; the parent stops first and disconnects then.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
    process.on('disconnect', stop);
    // The parent may have stopped while this program was still loading.
    if (!process.connected) stop();
  });
}

async function run(
  start: (stops: Stops) => Promise<void>,
  listen: (stop: () => void) => void,
): Promise<void> {
  const stops: Stops = [];
  let stopping: Promise<void> | null = null;
  const stop = (exitCode: number): void => {
    stopping ??= (async () => {
      for (const undo of stops.reverse()) {
        await undo().catch((error: unknown) =>
          process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
        );
      }
      process.exit(exitCode);
    })();
  };
  listen(() => stop(0));
  // The reader of the output may exit first; a closed pipe must not end the service.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    await start(stops);
  } catch (error) {
    // A start that is stopped half-way fails, because its connections are closed.
    if (!stopping) process.stderr.write(`${endingMessage(error)}\n`);
    stop(1);
  }
}

/**
 * Under `npm start`, npm may be killed silently: the service then stops too, instead of running on
 * unnoticed.
 */
function stopWithNpm(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) stop();
  }, PARENT_WATCH_MS).unref();
}
