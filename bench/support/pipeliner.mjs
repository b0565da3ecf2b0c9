// A helper: clients that send requests without waiting for responses.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerCalls } from './helper.mjs';

/** @type {import('node:net').Socket[]} */
let sockets = [];
let received = 0;

answerCalls({
  /**
   * Opens connections and writes the same bytes on each: once, or for ever as fast as the service reads them.
   * @param {{ baseUrl: string, connections: number, request: string, bytes: number, repeat: boolean, pauseMs?: number }} args
   */
  begin: async ({ baseUrl, connections, request, bytes, repeat, pauseMs = 0 }) => {
    const shot = Buffer.from(request.repeat(Math.max(1, Math.round(bytes / request.length))));
    received = 0;
    const port = Number(new URL(baseUrl).port);
    sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
    for (const socket of sockets) void (repeat ? keepWriting(socket, shot, pauseMs) : socket.write(shot));
  },
  end: async () => {
    for (const socket of sockets) socket.destroy();
    await sleep(500);
    return { received };
  },
});

/** @param {number} port */
function open(port) {
  return /** @type {Promise<import('node:net').Socket>} */ (
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.once('error', reject).on('error', () => {});
      socket.on('data', (chunk) => (received += chunk.length));
    })
  );
}

/**
 * @param {import('node:net').Socket} socket
 * @param {Buffer} shot
 * @param {number} pauseMs
 */
async function keepWriting(socket, shot, pauseMs) {
  while (socket.writable) {
    await new Promise((written) => {
      if (socket.write(shot)) setTimeout(written, pauseMs);
      else {
        socket.once('drain', written);
        socket.once('close', written);
      }
    });
  }
}
