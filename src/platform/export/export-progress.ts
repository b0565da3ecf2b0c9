import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

/** A client that reads more slowly over a window is cut off, because others need its permit. A slow phone reads as fast. */
export const READ_BYTES_PER_SECOND_MIN = 16 * 1024;
const WINDOW_MS = 30_000;
/** How often in a window the service looks whether it waits for the client. */
const LOOKS_PER_WINDOW = 30;
/** Ten million records at a megabyte a second take 20 minutes. */
const LONGEST_MS = 30 * 60_000;

/** Ends exports that are read too slowly, or do not end. */
@Injectable()
export class ExportProgress {
  /** As above; a test shortens it. */
  stallMs = WINDOW_MS;
  longestMs = LONGEST_MS;

  /**
   * Calls `breakOff` with the reason, once, where the client reads more slowly than it must, or the answer takes too long
   * as a whole. Only the time counts in which data waited for the client. Returns what ends the watch.
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

/** Bytes that the client's side of the connection has room for, without those buffered on ours. */
function bytesTaken({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
