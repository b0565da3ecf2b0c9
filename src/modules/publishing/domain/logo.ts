import { createHash } from 'node:crypto';
import { LOGO_BYTES_MAX } from './publishing.limits.js';

/** File names of logos. */
export const LOGO_NAME = /^logo-[0-9a-f]{16}\.png$/;
const NAME_HASH_DIGITS = 16;

const PREFIX = 'data:image/png;base64,';
/** Longest `data:` URL: four characters for three bytes. */
export const LOGO_CHARACTERS_MAX = PREFIX.length + Math.ceil(LOGO_BYTES_MAX / 3) * 4;
/** With which every PNG begins (ISO/IEC 15948). */
const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A pattern for schemas. */
export const LOGO_PATTERN = `^${PREFIX}[A-Za-z0-9+/]+={0,2}$`;

export interface LogoFile {
  /** `logo-<hash>.png`: it never changes under its name. */
  name: string;
  body: Buffer;
}

/** The file in a PNG's `data:` URL; null: not a PNG, or too large. */
export function logoFile(url: string): LogoFile | null {
  if (!url.startsWith(PREFIX) || url.length > LOGO_CHARACTERS_MAX) return null;
  const encoded = url.slice(PREFIX.length);
  if (!BASE64.test(encoded)) return null;
  const body = Buffer.from(encoded, 'base64');
  if (body.length > LOGO_BYTES_MAX || !body.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return null;
  const hash = createHash('sha256').update(body).digest('hex').slice(0, NAME_HASH_DIGITS);
  return { name: `logo-${hash}.png`, body };
}
