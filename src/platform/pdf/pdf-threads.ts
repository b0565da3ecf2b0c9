import { Readable } from 'node:stream';
import { DomainError } from '../errors/domain-error.js';
import { EXPORTS_MAX } from '../export/export-permits.js';
import { ThreadPool } from '../threads/thread-pool.js';

/** A PDF of 5,000 records takes a second or two of an idle core. */
const TASK_MAX_MS = 60_000;
const RETRY_AFTER_SECONDS = 10;
/** Size of a sent piece. */
const PIECE_BYTES = 64 * 1024;

/**
 * Draws PDFs on a thread, because drawing one would block the main thread for 50 ms to seconds.
 * `program` answers a `Task` with the bytes of the file. One PDF is drawn at a time; those of all
 * export permits may wait.
 */
export function pdfThreads<Task>(program: URL): ThreadPool<Task, Uint8Array> {
  return new ThreadPool(program, {
    name: 'pdf',
    threads: 1,
    waitingMax: EXPORTS_MAX,
    taskMaxMs: TASK_MAX_MS,
    refusal: () =>
      new DomainError('overloaded', 'Too many PDFs are being created. Try again shortly.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      }),
  });
}

/** A file in memory, as a stream of small pieces. */
export function streamOf(bytes: Uint8Array): Readable {
  const pieces = function* (): Generator<Uint8Array> {
    for (let begin = 0; begin < bytes.length; begin += PIECE_BYTES)
      yield bytes.subarray(begin, begin + PIECE_BYTES);
  };
  return Readable.from(pieces(), { highWaterMark: 2 });
}
