// Checks proofs of consent records without the service: nothing is fetched, nothing but this file is needed.
//
//   node verify.cjs proof <file.tlog-proof> <file of keys>
//   node verify.cjs proofs <folder of them> <file of keys>
//   node verify.cjs consistency <earlier checkpoint> <later checkpoint> <hashes> <file of keys>
//   node verify.cjs stamped <file.tlog-proof> <stamped checkpoint> <hashes> <file of keys>
//
// In a browser the same file serves verify.html, which works from a folder without a connection. What a proof says and
// does not say is told in docs/evidence.md. It needs Node 20 or later, or a browser that knows Ed25519.
'use strict';

(() => {
  const { subtle } = globalThis.crypto;
  const HASH_BYTES = 32;
  const KEY_ID_BYTES = 4;
  const ED25519 = 1;
  const utf8 = new TextEncoder();

  /** What is wrong, by the step that failed. */
  class Refused extends Error {
    constructor(step, message) {
      super(message);
      this.step = step;
    }
  }

  // Bytes

  const concat = (...parts) => {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  };
  const equal = (left, right) => left.length === right.length && left.every((byte, at) => byte === right[at]);
  const sha256 = async (...parts) => new Uint8Array(await subtle.digest('SHA-256', concat(...parts)));
  const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

  /** Decodes base64 that is spelled as we spell it: another spelling of the same bytes is an altered file. */
  function fromBase64(text, step, what) {
    let bytes;
    try {
      bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    } catch {
      throw new Refused(step, `${what} is no base64`);
    }
    if (toBase64(bytes) !== text) throw new Refused(step, `${what} is not spelled as base64 is`);
    return bytes;
  }

  function hashFrom(text, step, what) {
    const bytes = fromBase64(text, step, what);
    if (bytes.length !== HASH_BYTES) throw new Refused(step, `${what} is no hash`);
    return bytes;
  }

  // Canonical JSON (RFC 8785)

  function canonical(value) {
    if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
    if (typeof value === 'object' && value !== null) {
      const members = Object.keys(value)
        .sort()
        .map((name) => `${canonical(name)}:${canonical(value[name])}`);
      return `{${members.join(',')}}`;
    }
    if (typeof value === 'string' && !value.isWellFormed())
      throw new Refused('record', 'a text of the record is no Unicode');
    return JSON.stringify(value);
  }

  // Trees (RFC 6962, RFC 9162)

  const leafHash = (entry) => sha256(Uint8Array.of(0), entry);
  const nodeHash = (left, right) => sha256(Uint8Array.of(1), left, right);

  async function rootByPath(leaf, { index, size, path }) {
    let [place, last, reached] = [index, size - 1, leaf];
    for (const hash of path) {
      if (last === 0) return null;
      if (place % 2 === 1 || place === last) {
        reached = await nodeHash(hash, reached);
        while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
      } else {
        reached = await nodeHash(reached, hash);
      }
      [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
    }
    return last === 0 ? reached : null;
  }

  async function isConsistent(from, to, path) {
    if (from.size > to.size) return false;
    if (from.size === to.size) return path.length === 0 && equal(from.root, to.root);
    // Every tree has grown from the empty one.
    if (from.size === 0) return path.length === 0;
    let [place, last] = [from.size - 1, to.size - 1];
    while (place % 2 === 1) [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
    const [first, ...rest] = place === 0 ? [from.root, ...path] : path;
    if (!first) return false;
    let [smaller, larger] = [first, first];
    for (const hash of rest) {
      if (last === 0) return false;
      if (place % 2 === 1 || place === last) {
        smaller = await nodeHash(hash, smaller);
        larger = await nodeHash(hash, larger);
        while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
      } else {
        larger = await nodeHash(larger, hash);
      }
      [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
    }
    return last === 0 && equal(smaller, from.root) && equal(larger, to.root);
  }

  // Signed notes and checkpoints (C2SP)

  /** The keys of a file such as `/.well-known/consent-log-keys`: one a line, `#` begins a comment. */
  async function readKeys(text) {
    const lines = text
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim())
      .filter((line) => line !== '');
    if (lines.length === 0) throw new Refused('keys', 'the file of keys has none');
    return Promise.all(lines.map(readKey));
  }

  async function readKey(line) {
    const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Refused('keys', `"${line}" is no key`);
    const bytes = fromBase64(encoded, 'keys', `the key of ${name}`);
    if (bytes[0] !== ED25519 || bytes.length !== HASH_BYTES + 1)
      throw new Refused('keys', `the key of ${name} is none of Ed25519`);
    const hash = await sha256(utf8.encode(`${name}\n`), bytes);
    const keyId = hash.subarray(0, KEY_ID_BYTES);
    if (Array.from(keyId, (byte) => byte.toString(16).padStart(2, '0')).join('') !== id)
      throw new Refused('keys', `the key of ${name} does not fit the number beside it`);
    const key = await subtle.importKey('raw', bytes.subarray(1), { name: 'Ed25519' }, false, ['verify']);
    return { name, keyId, key };
  }

  /** The checkpoint in a note, once a key of its own origin has signed it. */
  async function openCheckpoint(note, keys, step) {
    const split = note.lastIndexOf('\n\n');
    if (split < 0 || !note.endsWith('\n')) throw new Refused(step, 'the checkpoint has no signature');
    const text = note.slice(0, split + 1);
    const checkpoint = readCheckpoint(text, step);
    const own = keys.filter(
      ({ name }) => name === checkpoint.origin || checkpoint.origin.startsWith(`${name}/`),
    );
    if (own.length === 0) throw new Refused(step, `no key is known for ${checkpoint.origin}`);
    for (const line of note.slice(split + 2, -1).split('\n')) {
      const [, name, encoded] = /^— (\S+) (\S+)$/.exec(line) ?? [];
      const bytes = name === undefined ? null : fromBase64(encoded, step, 'the signature');
      for (const each of own) {
        if (!bytes || each.name !== name || !equal(bytes.subarray(0, KEY_ID_BYTES), each.keyId)) continue;
        const signature = bytes.subarray(KEY_ID_BYTES);
        if (await subtle.verify({ name: 'Ed25519' }, each.key, signature, utf8.encode(text)))
          return checkpoint;
        throw new Refused(step, `the signature of ${name} is wrong`);
      }
    }
    throw new Refused(step, `no known key of ${checkpoint.origin} has signed the checkpoint`);
  }

  function readCheckpoint(text, step) {
    const [origin, size, root, ...rest] = text.split('\n');
    if (!origin || !/^(0|[1-9]\d{0,15})$/.test(size ?? '') || rest.at(-1) !== '')
      throw new Refused(step, 'this is no checkpoint');
    return { origin, size: Number(size), root: hashFrom(root ?? '', step, 'the root'), note: text };
  }

  // Proofs (C2SP tlog-proof)

  function readProof(text, step) {
    const split = text.indexOf('\n\n');
    const [header, ...lines] = text.slice(0, Math.max(split, 0)).split('\n');
    if (split < 0 || header !== 'c2sp.org/tlog-proof@v1') throw new Refused(step, 'this is no proof');
    const extra = lines[0]?.startsWith('extra ') ? lines.shift().slice('extra '.length) : null;
    const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '') ?? [];
    if (index === undefined) throw new Refused(step, 'the proof does not say which entry it is of');
    const path = lines.map((line) => hashFrom(line, step, 'a hash of the path'));
    return { extra, index: Number(index), path, checkpoint: text.slice(split + 2) };
  }

  /** Whether an entry stands where the proof says, in a tree whose checkpoint is signed; gives the checkpoint. */
  async function checkInclusion(entry, proof, keys, step) {
    const checkpoint = await openCheckpoint(proof.checkpoint, keys, `${step}: checkpoint`);
    if (proof.index >= checkpoint.size)
      throw new Refused(`${step}: path`, 'the entry is behind the end of the tree');
    const root = await rootByPath(await leafHash(entry), { ...proof, size: checkpoint.size });
    if (!root || !equal(root, checkpoint.root))
      throw new Refused(`${step}: path`, 'the path does not lead from the entry to the signed root');
    return checkpoint;
  }

  /**
   * Checks a record's proof by keys that are trusted. Gives what was found at each step, in words.
   * Throws `Refused` with the step that failed.
   */
  async function verifyProof(proofText, keysText) {
    const steps = [];
    const keys = await readKeys(keysText);
    const proof = readProof(proofText, 'file');
    if (proof.extra === null) throw new Refused('file', 'the proof holds no record');
    const { record, salt, rootProof } = readExtra(proof.extra);
    const saltBytes = hashFrom(salt, 'record', 'the salt');
    const commitment = await sha256(saltBytes, utf8.encode(canonical(record)));
    steps.push({ step: 'record', found: `record ${record.id} with the commitment ${toBase64(commitment)}` });
    const sealed = await checkInclusion(commitment, proof, keys, 'tree');
    steps.push({
      step: 'tree',
      found: `entry ${proof.index} of the ${sealed.size} in ${sealed.origin}, whose root is signed`,
    });
    let rootCheckpoint = null;
    if (rootProof !== null) {
      const inRoot = readProof(rootProof, 'root log');
      const entry = await sha256(utf8.encode(proof.checkpoint));
      const log = await checkInclusion(entry, inRoot, keys, 'root log');
      if (log.origin === sealed.origin) throw new Refused('root log', 'a tree cannot stand for the root log');
      steps.push({ step: 'root log', found: `entry ${inRoot.index} of the ${log.size} in ${log.origin}` });
      rootCheckpoint = inRoot.checkpoint;
    }
    return { record, checkpoint: sealed, isInRootLog: rootProof !== null, rootCheckpoint, steps };
  }

  function readExtra(encoded) {
    const bytes = fromBase64(encoded, 'file', 'what the proof holds');
    let extra;
    try {
      extra = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      throw new Refused('file', 'what the proof holds is no JSON');
    }
    const { record, salt, rootProof } = extra ?? {};
    const isRecord = typeof record === 'object' && record !== null && typeof record.id === 'string';
    if (!isRecord || typeof salt !== 'string' || (rootProof !== null && typeof rootProof !== 'string'))
      throw new Refused('file', 'the proof holds no record with its salt');
    return { record, salt, rootProof };
  }

  /** Checks that nothing of an earlier tree was changed or taken out in a later one. Throws `Refused`. */
  async function verifyConsistency(earlierNote, laterNote, hashesText, keysText) {
    const keys = await readKeys(keysText);
    const earlier = await openCheckpoint(earlierNote, keys, 'earlier checkpoint');
    const later = await openCheckpoint(laterNote, keys, 'later checkpoint');
    if (earlier.origin !== later.origin)
      throw new Refused('origin', `${earlier.origin} and ${later.origin} are two logs`);
    const path = hashesText
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => hashFrom(line, 'hashes', 'a hash'));
    if (!(await isConsistent(earlier, later, path)))
      throw new Refused('hashes', 'the later tree does not begin with the earlier one');
    return { earlier, later };
  }

  /**
   * Checks a proof, and that its checkpoint of the root log is continued by one that has a time-stamp, so that the
   * time-stamp holds for the record as well. Throws `Refused`.
   */
  async function verifyStamped(proofText, stampedNote, hashesText, keysText) {
    const { rootCheckpoint, steps } = await verifyProof(proofText, keysText);
    if (rootCheckpoint === null)
      throw new Refused(
        'root log',
        'the proof was made before its checkpoint was in the root log: get it anew',
      );
    const { earlier, later } = await verifyConsistency(rootCheckpoint, stampedNote, hashesText, keysText);
    const found = `the ${earlier.size} entries begin the ${later.size} of the stamped checkpoint`;
    return { steps: [...steps, { step: 'stamped', found }] };
  }

  // The command line

  const USAGE = `Usage: node verify.cjs proof <file.tlog-proof> <file of keys>
       node verify.cjs proofs <folder of them> <file of keys>
       node verify.cjs consistency <earlier checkpoint> <later checkpoint> <hashes> <file of keys>
       node verify.cjs stamped <file.tlog-proof> <stamped checkpoint> <hashes> <file of keys>
`;
  const COMMANDS = {
    proof: checkOne,
    proofs: checkFolder,
    consistency: checkConsistency,
    stamped: checkStamped,
  };
  const say = (line) => process.stdout.write(`${line}\n`);
  const tell = ({ step, found }) => say(`ok    ${step}: ${found}`);
  const wrong = (error, file = '') => {
    process.stderr.write(`WRONG ${file}${error.step ?? 'file'}: ${error.message}\n`);
    process.exitCode = 1;
  };

  async function commandLine() {
    // By `module`, which a page that is built of this file has not: what builds it would look for the files of Node.
    const files = module.require('node:fs');
    const [command = '', ...names] = process.argv.slice(2);
    const check = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
    if (check === undefined || names.length !== check.length - 1) {
      process.stderr.write(USAGE);
      process.exitCode = 2;
      return;
    }
    await check((name) => files.readFileSync(name, 'utf8'), ...names).catch(wrong);
  }

  async function checkOne(read, file, keys) {
    const { steps, isInRootLog } = await verifyProof(read(file), read(keys));
    steps.forEach(tell);
    if (!isInRootLog) say('note  it was not in the root log yet when the proof was made');
  }

  async function checkConsistency(read, earlierFile, laterFile, hashes, keys) {
    const texts = [earlierFile, laterFile, hashes, keys].map(read);
    const { earlier, later } = await verifyConsistency(...texts);
    say(`ok    ${later.origin}: the ${earlier.size} entries begin the ${later.size}`);
  }

  async function checkStamped(read, proof, stamped, hashes, keys) {
    const { steps } = await verifyStamped(...[proof, stamped, hashes, keys].map(read));
    steps.forEach(tell);
  }

  /** Checks each proof of a folder, such as that of an export, and names those that do not hold. */
  async function checkFolder(read, folder, keysFile) {
    const { readdirSync } = module.require('node:fs');
    const { join } = module.require('node:path');
    const keys = read(keysFile);
    await readKeys(keys);
    const names = readdirSync(folder)
      .filter((name) => name.endsWith('.tlog-proof'))
      .sort();
    let [held, rooted] = [0, 0];
    for (const name of names) {
      try {
        const { record, isInRootLog } = await verifyProof(read(join(folder, name)), keys);
        // A proof that holds proves nothing of the record under whose name it lies.
        const [named] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(name) ?? [record.id];
        if (named !== record.id) throw new Refused('file', `it is the proof of ${record.id}`);
        held += 1;
        if (isInRootLog) rooted += 1;
      } catch (error) {
        wrong(error, `${name} `);
      }
    }
    if (names.length === 0) throw new Refused('folder', `${folder} has no file that ends in .tlog-proof`);
    say(`ok    ${held} of ${names.length} proofs hold, ${rooted} of them in the root log too`);
  }

  const api = { verifyProof, verifyConsistency, verifyStamped, canonical, Refused };
  if (typeof module === 'object' && typeof require === 'function') {
    module.exports = api;
    if (require.main === module) void commandLine();
  } else {
    globalThis.consentVerify = api;
  }
})();
