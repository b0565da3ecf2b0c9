/** Bytes of a response body that are stored with a failed attempt (docs/forwarding.md). */
export const RESPONSE_BODY_STORED_BYTES = 4 * 1024;

/** A truncated secret at the end of a body is masked from this length. */
const SECRET_BEGINNING_MIN = 8;
const MASK = '********';
/** Prefix of signing secrets, before their bytes in base64. */
const SIGNING_PREFIX = 'whsec_';

/** The received part of a response body, one character per byte. It may hold more than is stored. */
export type ReceivedBody = string;

/**
 * The stored part of a body: text without NUL, which PostgreSQL cannot store. Invalid UTF-8 is replaced, and
 * a character cut by the limit is left out. Some receivers repeat the request in their error page, so
 * `secrets` that occur in it are masked: as sent, and in base64, hex and URL encoding.
 */
export function storedResponseBody(received: ReceivedBody, secrets: readonly string[]): string {
  // The longest form first, because a shorter one may be part of it.
  const forms = secrets.flatMap(formsOfSecret).toSorted((one, other) => other.length - one.length);
  const masked = [...new Set(forms)].reduce(maskForm, received);
  const bytes = Buffer.from(masked.slice(0, RESPONSE_BODY_STORED_BYTES), 'latin1');
  // A stream, because the last character may be incomplete.
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '');
}

function maskForm(body: string, form: string): string {
  const masked = body.replaceAll(form, MASK);
  for (let length = form.length - 1; length >= SECRET_BEGINNING_MIN; length--)
    if (masked.endsWith(form.slice(0, length))) return masked.slice(0, -length) + MASK;
  return masked;
}

/** The spellings of a secret in a body, for a signing secret also of its bytes. */
function formsOfSecret(secret: string): string[] {
  const forms = formsOfText(secret);
  if (!secret.startsWith(SIGNING_PREFIX)) return forms;
  const key = secret.slice(SIGNING_PREFIX.length);
  return [...forms, ...formsOfText(key), ...formsOfBytes(Buffer.from(key, 'base64'))];
}

function formsOfText(text: string): string[] {
  return [...inUrls(text), ...formsOfBytes(Buffer.from(text))];
}

/**
 * A text unchanged, with the slashes that JSON encoders escape, and URL-encoded; encoders differ in
 * the case of hex digits.
 */
function inUrls(text: string): string[] {
  const encoded = encodeURIComponent(text);
  const lowerCase = encoded.replaceAll(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  return [text, text.replaceAll('/', String.raw`\/`), encoded, lowerCase];
}

/** Bytes in hex, and in both base64 alphabets at each of the three offsets in a group, as after `Bearer `. */
function formsOfBytes(bytes: Buffer): string[] {
  const hex = bytes.toString('hex');
  const inBase64 = [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Letters at both ends also depend on adjacent bytes.
    const start = before === 0 ? 0 : before + 1;
    const isWhole = (before + bytes.length) % 3 === 0;
    const own = isWhole ? encoded.slice(start) : encoded.replace(/.=+$/, '').slice(start);
    return [...inUrls(own), own.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [hex, hex.toUpperCase(), ...inBase64];
}
