import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

/**
 * A client that reads more slowly over a window is disconnected, because others need its permit. A
 * slow phone reads this fast.
 */
export const READ_BYTES_PER_SECOND_MIN = 16 * 1024;
const WINDOW_MS = 30_000;
/** Checks per window of whether the export waits for the client. */
const LOOKS_PER_WINDOW = 30;
/** Ten million records at a megabyte a second take 20 minutes. */
const LONGEST_MS = 30 * 60_000;

/** Stops exports whose client reads too slowly, or that take too long. */
@Injectable()
export class ExportProgress {
  /** Tests shorten it. */
  stallMs = WINDOW_MS;
  longestMs = LONGEST_MS;

  /**
   * Calls `breakOff` with the reason, once, if the client reads too slowly, or the response takes
   * too long in total. Only time with data waiting for the client counts. Returns a function that
   * stops the watch.
   */
  watch(response: ServerResponse, breakOff: (why: string) => void): () => void {
    const lookMs = this.stallMs / LOOKS_PER_WINDOW;
    let [looks, waitedMs, takenBefore] = [0, 0, bytesTaken(response)];
    const stall = setInterval(() => {
      looks += 1;
      if (response.writableLength > 0) waitedMs += lookMs;
      if (looks < LOOKS_PER_WINDOW) return;
      const taken = bytesTaken(response);
      if (taken - takenBefore < (READ_BYTES_PER_SECOND_MIN * waitedMs) / 1000)
        breakOff(`the client reads less than ${READ_BYTES_PER_SECOND_MIN} bytes per second`);
      [looks, waitedMs, takenBefore] = [0, 0, taken];
    }, lookMs);
    const end = setTimeout(() => breakOff('it takes too long'), this.longestMs);
    return () => {
      clearInterval(stall);
      clearTimeout(end);
    };
  }
}

/** Bytes sent to the client, without the ones buffered here. */
function bytesTaken({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
