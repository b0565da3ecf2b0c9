// CONSENT_URL=… CONSENT_KEY=… CONSENT_FOLDER=records node receiver-check.mjs
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const { CONSENT_URL, CONSENT_KEY, CONSENT_FOLDER = 'records', CONSENT_KEYS = 'keys.txt' } = process.env;
const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();
const nodeHash = (left, right) => sha256(Buffer.of(1), left, right);
const keys = readFileSync(CONSENT_KEYS, 'utf8')
  .split('\n')
  .filter((line) => /^[^#\s]/.test(line))
  .flatMap(readKey);

let wrong = 0;
const checkpoints = new Map(); // by the note: many records have the same
const files = readdirSync(CONSENT_FOLDER).filter((name) => name.endsWith('.json'));
for (const file of files) {
  check(file, () => {
    const bytes = readFileSync(join(CONSENT_FOLDER, file));
    const { evidence, ...record } = JSON.parse(bytes.toString());
    if (!evidence) throw new Error('was stored while nothing was sealed');
    const commitment = sha256(Buffer.from(evidence.salt, 'base64'), Buffer.from(canonical(record)));
    if (commitment.toString('base64') !== evidence.commitment)
      throw new Error('is not the record of its commitment');
    const note = evidence.checkpoint;
    if (note !== null && !checkpoints.has(note))
      checkpoints.set(note, openCheckpoint(note, record.projectId));
    const sent = `${canonical(record).slice(0, -1)},"evidence":${JSON.stringify(evidence)}}`;
    if (!bytes.equals(Buffer.from(sent))) throw new Error('is not spelled as it was sent');
  });
}
const inOrder = [...checkpoints.values()].sort(
  (one, other) => one.epoch - other.epoch || one.size - other.size,
);
const newest = new Map(); // by the log
const lastEpochs = new Map(inOrder.map(({ projectId, epoch }) => [projectId, epoch]));
for (const later of inOrder) {
  const earlier = newest.get(later.origin);
  newest.set(later.origin, later);
  if (!earlier && later.epoch > 1) console.log(`note  ${later.origin} is a new log: check its statement`);
  if (!earlier) continue;
  const sizes = `${earlier.size} to ${later.size} of ${later.origin}`;
  const hashes = earlier.size === later.size ? [] : await fetchHashes(earlier, later).catch((error) => error);
  if (hashes.cause === 404 && later.epoch < lastEpochs.get(later.projectId)) {
    console.log(`note  ${sizes}: the service has lost them and began a new log`);
    continue;
  }
  check(sizes, () => {
    if (hashes instanceof Error) throw hashes;
    if (!isConsistent(earlier, later, hashes)) throw new Error('are not of one history');
  });
}
if (wrong === 0)
  console.log(
    `ok    ${files.length} records of ${inOrder.at(-1)?.size ?? 0} entries, ${inOrder.length} checkpoints`,
  );
process.exitCode = wrong === 0 ? 0 : 1;

function check(what, judge) {
  try {
    judge();
  } catch (error) {
    wrong += 1;
    console.log(`WRONG ${what}: ${error.message}`);
  }
}

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);
  return `{${members.join(',')}}`;
}

/** From `name+number+base64(1, key)`; other kinds of keys are ignored. */
function readKey(line) {
  const [, name, number, encoded] = /^([^+]+)\+([^+]+)\+(.+)$/.exec(line.trim());
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes[0] !== 1) return [];
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.subarray(1).toString('base64url') };
  return [{ name, number, key: createPublicKey({ key: jwk, format: 'jwk' }) }];
}

/** A text, an empty line, and signatures: `— name base64(number of the key, signature)`. A wrong one refuses all. */
function openCheckpoint(note, projectId) {
  const end = note.lastIndexOf('\n\n') + 1;
  const text = note.slice(0, end);
  const [origin, size, root] = text.split('\n');
  let epoch = 0;
  for (const line of note.slice(end + 1, -1).split('\n')) {
    const [, signer, encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
    const bytes = Buffer.from(encoded, 'base64');
    const number = bytes.toString('hex', 0, 4);
    const known = keys.filter((each) => each.name === signer && each.number === number);
    const isWrong = ({ key }) => !verify(null, Buffer.from(text), key, bytes.subarray(4));
    if (bytes.length < 5 || known.some(isWrong))
      throw new Error('has a checkpoint without a signature of ours');
    if (known.length > 0) epoch ||= epochIn(origin, `${signer}/${projectId}`);
  }
  if (epoch === 0) throw new Error('has a checkpoint without a signature of ours');
  return { origin, projectId, epoch, size: Number(size), root: Buffer.from(root, 'base64') };
}

/** The number of a project's log: 1, or what ends the origin of one that continues another. 0: of another project. */
function epochIn(origin, first) {
  if (origin === first) return 1;
  const number = origin.startsWith(`${first}/`) ? origin.slice(first.length + 1) : '';
  return /^([2-9]|[1-9]\d{1,9})$/.test(number) ? Number(number) : 0;
}

async function fetchHashes({ projectId, epoch, size }, later) {
  const query = `from=${size}&to=${later.size}&epoch=${epoch}`;
  const url = `${CONSENT_URL}/v1/projects/${projectId}/log/consistency?${query}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${CONSENT_KEY}` } });
  if (answer.status !== 200)
    throw new Error(`the service answered ${answer.status}`, { cause: answer.status });
  const lines = (await answer.text()).trim().split('\n');
  if (lines.length > 64) throw new Error('the service answered with too many hashes');
  return lines.map((line) => Buffer.from(line, 'base64'));
}

/** Whether the hashes lead from both trees to both roots: RFC 9162 §2.1.4.2. */
function isConsistent(earlier, later, hashes) {
  if (earlier.size === later.size) return earlier.root.equals(later.root);
  let [place, last] = [earlier.size - 1, later.size - 1];
  while (place % 2 === 1) [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  const [first, ...rest] = place === 0 ? [earlier.root, ...hashes] : hashes;
  let [smaller, larger] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      [smaller, larger] = [nodeHash(hash, smaller), nodeHash(hash, larger)];
      while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      larger = nodeHash(larger, hash);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && smaller.equals(earlier.root) && larger.equals(later.root);
}
