import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';

/** A client that reads more slowly than `BYTES_MIN` in this time holds a place that somebody else could use. */
const STALL_MS = 30_000;
const BYTES_MIN = 64 * 1024;
/** Ten million records at a megabyte a second take 20 minutes. */
const LONGEST_MS = 30 * 60_000;

/** Ends exports that do not get on, or do not end. */
@Injectable()
export class ExportProgress {
  /** As above; a test shortens it. */
  stallMs = STALL_MS;
  longestMs = LONGEST_MS;

  /**
   * Calls `breakOff` with the reason, once, where the client takes too little of what is there for it, or the answer
   * takes too long as a whole. That we have nothing to send counts against nobody. Returns what ends the watch.
   */
  watch(response: ServerResponse, breakOff: (why: string) => void): () => void {
    let takenBefore = bytesTaken(response);
    const stall = setInterval(() => {
      const taken = bytesTaken(response);
      if (response.writableLength > 0 && taken - takenBefore < BYTES_MIN)
        breakOff('the client reads too slowly');
      takenBefore = taken;
    }, this.stallMs);
    const end = setTimeout(() => breakOff('it takes too long'), this.longestMs);
    return () => {
      clearInterval(stall);
      clearTimeout(end);
    };
  }
}

/** Bytes of the connection that the client's side has room for; what waits on ours is left out. */
function bytesTaken({ socket }: ServerResponse): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
