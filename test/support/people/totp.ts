import { createHmac } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const PERIOD_SECONDS = 30;
/** A code may be on its way so long before its period has to be another one. */
const ON_ITS_WAY_MS = 10_000;

/** The code that an authenticator shows for an `otpauth://` URI (RFC 6238), the given number of periods from now. */
export function totpCode(uri: string, periods = 0): string {
  const secret = new URL(uri).searchParams.get('secret') ?? '';
  const bits = [...secret.replace(/=+$/, '')]
    .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / PERIOD_SECONDS) + periods));
  const digest = createHmac('sha1', key).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/**
 * The code of the period before this one, which is still taken where this period has not ended when it arrives: waits
 * out the end of one that is about to.
 */
export async function formerTotpCode(uri: string): Promise<string> {
  const periodMs = PERIOD_SECONDS * 1000;
  const leftMs = periodMs - (Date.now() % periodMs);
  if (leftMs < ON_ITS_WAY_MS) await new Promise((wake) => setTimeout(wake, leftMs));
  return totpCode(uri, -1);
}

/** A code that is of no period near this one. */
export function wrongTotpCode(uri: string): string {
  const near = [-3, -2, -1, 0, 1, 2, 3].map((periods) => totpCode(uri, periods));
  let wrong = 0;
  while (near.includes(String(wrong).padStart(6, '0'))) wrong += 1;
  return String(wrong).padStart(6, '0');
}
