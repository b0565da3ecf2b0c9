// The same page in a browser as it comes, without the scanner's proxy and options: what reaches its target there shows
// that the technique works, so that it proves something when the scanner's browser reaches nothing.
import { createSocket, type Socket } from 'node:dgram';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const DNS_PORT = 53;
const STUN_PORT = 3478;
/** At these bytes, each STUN message has the same value. */
const STUN_COOKIE = { at: 4, value: 0x2112a442 };

interface Control {
  executable: string;
  folder: string;
  /** Page that tries all techniques, and sets its title to `done`. */
  url: string;
  /** Port of the site, where a QUIC handshake of WebTransport arrives. */
  sitePort: number;
  /** Waits for pending datagrams; gets the techniques that have sent some. */
  arrival: (datagrams: ReadonlySet<string>) => Promise<void>;
}

/** Returns the techniques that sent datagrams. Requests arrive at the site. */
export async function openPageWithoutIsolation({
  executable,
  folder,
  url,
  sitePort,
  arrival,
}: Control): Promise<Set<string>> {
  const seen = new Set<string>();
  const listeners = await Promise.all([
    receive(DNS_PORT, (data) => {
      if (data.includes('dns-prefetch')) seen.add('dns-prefetch');
    }),
    receive(STUN_PORT, (data) => {
      if (data.length > 8 && data.readUInt32BE(STUN_COOKIE.at) === STUN_COOKIE.value) seen.add('webrtc');
    }),
    receive(sitePort, (data) => {
      // The bit of a long header: STUN messages, which arrive here, too, begin with two zero bits.
      if (((data[0] ?? 0) & 0x80) !== 0) seen.add('webtransport');
    }),
  ]);
  const context = await chromium.launchPersistentContext(join(folder, 'control'), {
    executablePath: executable,
    // It runs as root, and visits only this page.
    chromiumSandbox: false,
  });
  try {
    const page = context.pages().at(0) ?? (await context.newPage());
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(`document.title === 'done'`, undefined, { timeout: 60_000 });
    await arrival(seen);
  } finally {
    await context.close();
    for (const listener of listeners) listener.close();
  }
  return seen;
}

async function receive(port: number, note: (data: Buffer) => void): Promise<Socket> {
  const socket = createSocket('udp4', note);
  await new Promise<void>((ready) => socket.bind(port, ready));
  return socket;
}
