import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** The signature type Ed25519 of signed-note. */
const ED25519 = 0x01;
const KEY_ID_BYTES = 4;
const PUBLIC_KEY_BYTES = 32;
const SIGNATURES_MAX = 100;
/** The prefixes of an Ed25519 key's 32 bytes in PKCS #8 and SPKI (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** A public key that verifies notes: a name and an Ed25519 key. */
export interface VerifierKey {
  /** Neither spaces nor a plus sign. */
  name: string;
  publicKey: Buffer;
}

export interface SignerKey extends VerifierKey {
  privateKey: KeyObject;
}

/** Creates a signer from an Ed25519 seed of 32 bytes. */
export function createSigner(name: string, seed: Buffer): SignerKey {
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { name, privateKey, publicKey: spki.subarray(-PUBLIC_KEY_BYTES) };
}

/** The four bytes that identify the key of a signature. */
export function computeKeyId({ name, publicKey }: VerifierKey): Buffer {
  const named = Buffer.concat([Buffer.from(`${name}\n`), Buffer.of(ED25519), publicKey]);
  return hash('sha256', named, 'buffer').subarray(0, KEY_ID_BYTES);
}

/** `name+hash+base64`: how a key is published (C2SP signed-note). */
export function verifierLine(key: VerifierKey): string {
  const encoded = Buffer.concat([Buffer.of(ED25519), key.publicKey]).toString('base64');
  return `${key.name}+${computeKeyId(key).toString('hex')}+${encoded}`;
}

/** Parses a published key. @throws Error if the line is not a key */
export function parseVerifier(line: string): VerifierKey {
  const [, name, encoded] = /^([^+\s]+)\+[\da-f]{8}\+([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  if (name === undefined || encoded === undefined) throw new Error(`not a verifier key: ${line}`);
  return { name, publicKey: Buffer.from(encoded, 'base64').subarray(1) };
}

/** `text`, whose lines all end with a newline, followed by an empty line and one signature per key. */
export function signNote(text: string, keys: readonly SignerKey[]): string {
  const lines = keys.map((key) => {
    const signature = Buffer.concat([computeKeyId(key), sign(null, Buffer.from(text), key.privateKey)]);
    return `— ${key.name} ${signature.toString('base64')}\n`;
  });
  return `${text}\n${lines.join('')}`;
}

/**
 * The text of a note. null if none of the keys has signed it, if a signature line is malformed, or if a signature of one
 * of the keys is wrong, regardless of the other lines.
 */
export function openNote(note: string, keys: readonly VerifierKey[]): string | null {
  const split = note.lastIndexOf('\n\n');
  if (split < 0 || !note.endsWith('\n')) return null;
  const text = note.slice(0, split + 1);
  const lines = note.slice(split + 2, -1).split('\n');
  if (lines.length > SIGNATURES_MAX) return null;
  const signatures = lines.map(readSignature);
  if (!signatures.every((each) => each !== null)) return null;
  const known = signatures.flatMap((signature) =>
    keys.filter((key) => isBy(signature, key)).map((key) => isSigned(key, text, signature)),
  );
  return known.length > 0 && known.every(Boolean) ? text : null;
}

/** The keys that a note names as its signers, as `name+hash`; signatures are not verified. */
export function listSigners(note: string): string[] {
  return [...note.matchAll(/^— (\S+) ([A-Za-z0-9+/]+={0,2})$/gm)].map(([, name = '', encoded = '']) => {
    const keyId = Buffer.from(encoded, 'base64').subarray(0, KEY_ID_BYTES);
    return `${name}+${keyId.toString('hex')}`;
  });
}

interface Signature {
  name: string;
  keyId: Buffer;
  bytes: Buffer;
}

/** Parses a signature line; null if it is malformed. */
function readSignature(line: string): Signature | null {
  const [, name, encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
  const whole = Buffer.from(encoded, 'base64');
  if (name === undefined || whole.length <= KEY_ID_BYTES || whole.toString('base64') !== encoded) return null;
  return { name, keyId: whole.subarray(0, KEY_ID_BYTES), bytes: whole.subarray(KEY_ID_BYTES) };
}

const isBy = ({ name, keyId }: Signature, key: VerifierKey): boolean =>
  name === key.name && keyId.equals(computeKeyId(key));

function isSigned({ publicKey }: VerifierKey, text: string, { bytes }: Signature): boolean {
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  return verify(null, Buffer.from(text), key, bytes);
}
