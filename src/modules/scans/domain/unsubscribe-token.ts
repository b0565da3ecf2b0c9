import { createHmac, timingSafeEqual } from 'node:crypto';

/** A member whose alerts a link turns off. */
export interface AlertRecipient {
  projectId: string;
  userId: string;
}

const PURPOSE = 'unsubscribe from scan alerts';
const ID_BYTES = 16;
const TAG_BYTES = 32;
/** Base64url of both ids and the tag. */
const TOKEN = /^[\w-]{86}$/;

/** A token for a link in a mail. It works without a session, does not expire, and cannot be guessed without the key. */
export function writeUnsubscribeToken(recipient: AlertRecipient, key: Buffer): string {
  const ids = Buffer.from(`${recipient.projectId}${recipient.userId}`.replaceAll('-', ''), 'hex');
  return Buffer.concat([ids, tag(ids, key)]).toString('base64url');
}

/** The member in a token signed by one of the keys; null: none of them. */
export function readUnsubscribeToken(token: string, keys: readonly Buffer[]): AlertRecipient | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const ids = bytes.subarray(0, 2 * ID_BYTES);
  const given = bytes.subarray(2 * ID_BYTES);
  if (given.length !== TAG_BYTES || !keys.some((key) => timingSafeEqual(given, tag(ids, key)))) return null;
  return { projectId: uuidOf(ids.subarray(0, ID_BYTES)), userId: uuidOf(ids.subarray(ID_BYTES)) };
}

function tag(ids: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(ids).digest();
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
