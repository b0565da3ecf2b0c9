// Checks proofs of consent records and scans without the service: nothing is fetched, nothing but this file is needed.
//
//   node verify.cjs proof <file.tlog-proof> <file of keys>
//   node verify.cjs proofs <folder of them> <file of keys>
//   node verify.cjs consistency <earlier checkpoint> <later checkpoint> <hashes> <file of keys>
//   node verify.cjs continues <file of the statement> <last checkpoint of the former log> <file of keys>
//   node verify.cjs begins <file of the statement> <file of keys>
//   node verify.cjs stamped <file.tlog-proof> <stamped checkpoint> <hashes> <file of keys>
//
// In a browser the same file serves verify.html, which works from a folder without a connection. docs/evidence.md says
// what a proof shows and what it does not. It needs Node 20 or later, or a browser that supports Ed25519.
//
// Exit codes: 0 everything holds, 1 something is WRONG, 2 wrong usage, 3 the check could not be made.
'use strict';

(() => {
  const subtle = globalThis.crypto?.subtle;
  const HASH_BYTES = 32;
  const KEY_ID_BYTES = 4;
  const ED25519 = 1;
  /** No tree is deeper: 2^64 entries. */
  const PATH_MAX = 64;
  /** Signature lines of one note. */
  const SIGNATURES_MAX = 100;
  const DAY_MS = 86_400_000;
  /** The log of all projects' checkpoints, in its origin. */
  const ROOT_LOG = 'log';
  /** The members of a proof's extra data, for a record and for a scan: all of them, and no others. */
  const EXTRA_MEMBERS = { record: 'record,rootProof,salt', scan: 'rootProof,salt,scan' };
  const utf8 = new TextEncoder();

  /** What is wrong, by the step that failed. */
  class Refused extends Error {
    constructor(step, message) {
      super(message);
      this.step = step;
    }
  }

  /** The check could not be made here. Says nothing about the proof. */
  class CannotCheck extends Error {
    name = 'CannotCheck';
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

  /** The text of a file, byte for byte: a byte order mark stays, and bytes that are not UTF-8 are refused. */
  function textOf(given, step) {
    if (typeof given === 'string') return given;
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(given);
    } catch {
      throw new Refused(step, 'the file is not UTF-8');
    }
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
      throw new Refused('file', 'a text in the proof is no Unicode');
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

  /** RFC 8032 §7.1, test 1: a key and its signature of the empty text. */
  const KNOWN_KEY = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
  const KNOWN_SIGNATURE =
    '5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==';
  let trial;

  /** @throws CannotCheck where Ed25519 is missing: every signature would look wrong. */
  async function requireEd25519() {
    trial ??= importKey(fromBase64(KNOWN_KEY)).then((key) =>
      isSigned(key, fromBase64(KNOWN_SIGNATURE), new Uint8Array()),
    );
    if (await trial.catch(() => false)) return;
    throw new CannotCheck(
      typeof window === 'undefined'
        ? 'this program cannot check Ed25519 signatures: use Node 20 or later'
        : 'this browser cannot check Ed25519 signatures here: use a newer one, open the page from a file or by https, or use Node',
    );
  }

  const importKey = async (bytes) => subtle.importKey('raw', bytes, { name: 'Ed25519' }, false, ['verify']);
  const isSigned = (key, signature, bytes) => subtle.verify({ name: 'Ed25519' }, key, signature, bytes);

  /**
   * The keys of a file such as `/.well-known/consent-log-keys`: one a line. A comment (`#`) on the same line or above may
   * name the day of its last signature, `until 2026-11-20`. Keys of an unknown kind are ignored.
   */
  async function readKeys(given) {
    await requireEd25519();
    const keys = [];
    let until = null;
    for (const whole of textOf(given, 'keys').split('\n')) {
      const [, line, comment] = /^([^#]*)#?(.*)$/s.exec(whole.trim());
      until = endIn(comment) ?? until;
      if (line.trim() === '') continue;
      const key = await readKey(line.trim(), until);
      if (key) keys.push(key);
      until = null;
    }
    if (keys.length === 0) throw new Refused('keys', 'the file has no Ed25519 key');
    return keys;
  }

  /** The day a comment names as the end of a key; null where it names none. */
  function endIn(comment) {
    const [, day] = /\buntil (\d{4}-\d{2}-\d{2})\b/.exec(comment) ?? [];
    if (day !== undefined && Number.isNaN(Date.parse(day)))
      throw new Refused('keys', `"${day}" is not a day`);
    return day ?? null;
  }

  async function readKey(line, until) {
    const [, name, id, encoded] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Refused('keys', `"${line}" is no key`);
    const bytes = fromBase64(encoded, 'keys', `the key of ${name}`);
    if (bytes[0] !== ED25519) return null;
    if (bytes.length !== HASH_BYTES + 1)
      throw new Refused('keys', `the key of ${name} is not an Ed25519 key`);
    const hash = await sha256(utf8.encode(`${name}\n`), bytes);
    const keyId = hash.subarray(0, KEY_ID_BYTES);
    if (Array.from(keyId, (byte) => byte.toString(16).padStart(2, '0')).join('') !== id)
      throw new Refused('keys', `the key of ${name} does not fit the number beside it`);
    const key = await importKey(bytes.subarray(1)).catch(() => {
      throw new Refused('keys', `the key of ${name} is not an Ed25519 key`);
    });
    return { name, keyId, key, until };
  }

  /**
   * The checkpoint in a note that a key of its own origin has signed. Every signature line is read: one that is malformed
   * or a wrong one of a known key refuses the note, whatever other lines hold.
   */
  async function openCheckpoint(note, keys, step) {
    const split = note.lastIndexOf('\n\n');
    if (split < 0 || !note.endsWith('\n')) throw new Refused(step, 'the checkpoint has no signature');
    const text = note.slice(0, split + 1);
    const checkpoint = readCheckpoint(text, step);
    const own = await requireSignature(text, note.slice(split + 2, -1), {
      keys,
      origin: checkpoint.origin,
      step,
    });
    return { ...checkpoint, until: lastEnd(own) };
  }

  /** The keys of an origin that have signed a text, at least one. */
  async function requireSignature(text, lines, { keys, origin, step }) {
    const isOwn = ({ name }) => name === origin || origin.startsWith(`${name}/`);
    if (!keys.some(isOwn)) throw new Refused(step, `no key is known for ${origin}`);
    const signers = [];
    for (const { name, keyId, signature } of readSignatures(lines, step)) {
      for (const each of keys) {
        if (each.name !== name || !equal(each.keyId, keyId)) continue;
        if (!(await isSigned(each.key, signature, utf8.encode(text))))
          throw new Refused(step, `the signature of ${name} is wrong`);
        signers.push(each);
      }
    }
    const own = signers.filter(isOwn);
    if (own.length === 0) throw new Refused(step, `no known key of ${origin} has signed the checkpoint`);
    return own;
  }

  function readSignatures(text, step) {
    const lines = text.split('\n');
    if (lines.length > SIGNATURES_MAX) throw new Refused(step, 'the checkpoint has too many signatures');
    return lines.map((line) => {
      const [, name, encoded] = /^— ([^\s+]+) (\S+)$/.exec(line) ?? [];
      if (name === undefined) throw new Refused(step, 'a line below the checkpoint is not a signature');
      const bytes = fromBase64(encoded, step, `the signature of ${name}`);
      if (bytes.length <= KEY_ID_BYTES) throw new Refused(step, `the signature of ${name} is too short`);
      return { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) };
    });
  }

  /** The last day of the keys that signed; null where one of them has no end. */
  function lastEnd(signers) {
    const ends = signers.map(({ until }) => until);
    return ends.includes(null) ? null : ends.sort().at(-1);
  }

  /** A checkpoint is younger than each entry below it: a key that had ended by then cannot have signed it. */
  function refuseEnded({ until, origin }, { kind, instant }, step) {
    if (until === null || !(Date.parse(instant) >= Date.parse(until) + DAY_MS)) return;
    const event = kind === 'scan' ? 'the scan ended' : 'the record was received';
    throw new Refused(
      step,
      `the key that signed ${origin} ended on ${until}, before ${event}; if your file of keys is old, fetch it again`,
    );
  }

  const endedNote = ({ until, origin }) =>
    `the key that signed ${origin} ended on ${until}; that it signed before rests on the key alone, unless a time-stamp shows it`;

  function readCheckpoint(text, step) {
    const [origin, size, root, ...rest] = text.split('\n');
    const isCheckpoint = origin && isWhole(size) && rest.pop() === '' && !rest.includes('');
    if (!isCheckpoint) throw new Refused(step, 'this is no checkpoint');
    return { origin, size: Number(size), root: hashFrom(root, step, 'the root'), note: text };
  }

  const isWhole = (text) => /^(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));

  // Proofs (C2SP tlog-proof)

  /** `tree` names the tree that the proof is about, in the step of a refusal. */
  function readProof(text, step, tree) {
    const split = text.indexOf('\n\n');
    const [header, ...lines] = text.slice(0, Math.max(split, 0)).split('\n');
    if (split < 0 || header !== 'c2sp.org/tlog-proof@v1') throw new Refused(step, 'this is no proof');
    const extra = lines[0]?.startsWith('extra ') ? lines.shift().slice('extra '.length) : null;
    const [, index] = /^index (\d+)$/.exec(lines.shift() ?? '') ?? [];
    if (!isWhole(index)) throw new Refused(step, 'the proof does not say which entry it is of');
    if (lines.length > PATH_MAX)
      throw new Refused(`${tree}: path`, `the path has more than ${PATH_MAX} hashes`);
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
   * Checks the proof of a record or a scan by keys that are trusted. Texts may be given as bytes. Returns what was found at each step.
   * Throws `Refused` with the step that failed, `CannotCheck` where the check cannot be made.
   */
  async function verifyProof(given, keysGiven) {
    const keys = await readKeys(keysGiven);
    const proof = readProof(textOf(given, 'file'), 'file', 'tree');
    if (proof.extra === null) throw new Refused('file', 'the proof holds no record and no scan');
    const { kind, body, instant, salt, rootProof } = readExtra(proof.extra);
    const commitment = await sha256(hashFrom(salt, kind, 'the salt'), utf8.encode(canonical(body)));
    const sealed = await checkInclusion(commitment, proof, keys, 'tree');
    refuseForeign(kind, body, sealed.origin);
    refuseEnded(sealed, { kind, instant }, 'tree: checkpoint');
    const steps = [
      { step: kind, found: `${kind} ${body.id} with the commitment ${toBase64(commitment)}` },
      {
        step: 'tree',
        found: `entry ${proof.index} of the ${sealed.size} in ${sealed.origin}, whose root is signed`,
      },
    ];
    const root = rootProof === null ? null : await checkRoot(rootProof, proof.checkpoint, keys);
    if (root) refuseEnded(root.log, { kind, instant }, 'root log: checkpoint');
    if (root)
      steps.push({
        step: 'root log',
        found: `entry ${root.index} of the ${root.log.size} in ${root.log.origin}`,
      });
    const notes = [sealed, ...(root ? [root.log] : [])].filter(({ until }) => until !== null).map(endedNote);
    // `rootProof` is not signed: a proof without one may be older than it, or may have lost it since.
    if (!root) notes.push(UNROOTED);
    const rootCheckpoint = root?.checkpoint ?? null;
    return {
      ...{ kind, instant, record: kind === 'record' ? body : null, scan: kind === 'scan' ? body : null },
      ...{ checkpoint: sealed, isInRootLog: root !== null, rootCheckpoint, steps, notes },
    };
  }

  const UNROOTED =
    'this file does not lead to the root log: it was made before its checkpoint was there, or that part was removed since';

  /** That a log's signed checkpoint is an entry of the root log. */
  async function checkRoot(rootProof, checkpoint, keys) {
    const proof = readProof(rootProof, 'root log', 'root log');
    const entry = await sha256(utf8.encode(checkpoint));
    const log = await checkInclusion(entry, proof, keys, 'root log');
    if (logName(log.origin) !== ROOT_LOG) throw new Refused('root log', `${log.origin} is not the root log`);
    return { index: proof.index, checkpoint: proof.checkpoint, log };
  }

  /** That the body is what it is called, of the log's project. An erasure names none: its id stands for the record. */
  function refuseForeign(kind, { action, projectId }, origin) {
    // Every record has an action, and no scan has one.
    if ((typeof action === 'string') !== (kind === 'record'))
      throw new Refused(kind, `this is not a ${kind}`);
    if (kind === 'record' && action === 'erase' && projectId === undefined) return;
    if (typeof projectId !== 'string' || projectId === ROOT_LOG || logName(origin) !== projectId)
      throw new Refused(kind, `the ${kind} does not belong to the project whose log is ${origin}`);
  }

  /** The log in an origin, `<host>/<log>`; a log that continues another one has its number behind. */
  const logName = (origin) => /^[^/]+\/([^/]+)(\/[1-9]\d*)?$/.exec(origin)?.[1];

  /** Only the canonical form is accepted: in any other, readers could see different records in the same file. */
  function readExtra(encoded) {
    const text = textOf(fromBase64(encoded, 'file', 'what the proof holds'), 'file');
    let [extra, rewritten] = [null, ''];
    try {
      extra = JSON.parse(text);
      rewritten = canonical(extra);
    } catch (error) {
      throw error instanceof Refused ? error : new Refused('file', 'what the proof holds is no JSON');
    }
    const kind = Object.hasOwn(extra ?? {}, 'scan') ? 'scan' : 'record';
    const { [kind]: body, salt, rootProof } = extra ?? {};
    const isBody = typeof body === 'object' && body !== null && typeof body.id === 'string';
    if (!isBody || typeof salt !== 'string' || (rootProof !== null && typeof rootProof !== 'string'))
      throw new Refused('file', `the proof holds no ${kind} with its salt`);
    if (Object.keys(extra).sort().join() !== EXTRA_MEMBERS[kind])
      throw new Refused(
        'file',
        `the proof holds more than a ${kind}, its salt and the proof in the root log`,
      );
    if (text !== rewritten) throw new Refused('file', 'what the proof holds is not in its canonical form');
    const instant = kind === 'scan' ? body.endedAt : (body.receivedAt ?? body.erasedAt);
    return { kind, body, instant, salt, rootProof };
  }

  /** Checks that nothing of an earlier tree was changed or taken out in a later one. Throws as `verifyProof` does. */
  async function verifyConsistency(earlierNote, laterNote, hashes, keysGiven) {
    const keys = await readKeys(keysGiven);
    const earlier = await openCheckpoint(textOf(earlierNote, 'file'), keys, 'earlier checkpoint');
    const later = await openCheckpoint(textOf(laterNote, 'file'), keys, 'later checkpoint');
    if (earlier.origin !== later.origin)
      throw new Refused('origin', `${earlier.origin} and ${later.origin} are two logs`);
    const lines = textOf(hashes, 'hashes')
      .split('\n')
      .filter((line) => line !== '');
    if (lines.length > PATH_MAX) throw new Refused('hashes', `these are more than ${PATH_MAX} hashes`);
    const path = lines.map((line) => hashFrom(line, 'hashes', 'a hash'));
    if (!(await isConsistent(earlier, later, path)))
      throw new Refused('hashes', 'the later tree does not begin with the earlier one');
    return { earlier, later, notes: later.until === null ? [] : [endedNote(later)] };
  }

  /**
   * Checks the signed statement with which a log begins that continues another one, against the last checkpoint of that
   * which the reader holds. A larger one, or another root of the same size, is refused: the operator did not know it, or
   * leaves it out. Throws as `verifyProof` does.
   */
  async function verifyContinuation(given, lastNote, keysGiven) {
    const keys = await readKeys(keysGiven);
    const { origin, former, reason, at } = await readStatement(given, keys);
    const last = await openCheckpoint(textOf(lastNote, 'last checkpoint'), keys, 'last checkpoint');
    if (last.origin !== former.origin)
      throw new Refused('last checkpoint', `${last.origin} is not the log that ${origin} continues`);
    if (former.size === 0) return { origin, former, reason, at, notes: [unknownNote(former, last.size)] };
    if (last.size > former.size)
      throw new Refused(
        'last checkpoint',
        `it covers ${last.size} entries, the statement names ${former.size}: the others are missing`,
      );
    if (last.size === former.size && !equal(last.root, former.root))
      throw new Refused('last checkpoint', 'its root is not the one that the statement names');
    const notes =
      last.size < former.size
        ? [`that the ${last.size} entries begin the ${former.size} is to be checked in ${former.origin}`]
        : [];
    return { origin, former, reason, at, notes };
  }

  /**
   * Checks the signed statement with which a log begins where no checkpoint of a former log was known, as in a restored copy
   * of a data folder. Throws as `verifyProof` does.
   */
  async function verifyBeginning(given, keysGiven) {
    const { origin, former, reason, at } = await readStatement(given, await readKeys(keysGiven));
    if (former.size > 0)
      throw new Refused(
        'statement',
        `${origin} continues ${former.origin}: check it with its last checkpoint`,
      );
    return { origin, former, reason, at };
  }

  const unknownNote = ({ origin }, size) =>
    `the service knew no checkpoint of ${origin}: your ${size} entries of it are not continued, and your copy is their evidence`;

  /** The statement that is the first entry of a log, with a path to its signed checkpoint. */
  async function readStatement(given, keys) {
    const proof = readProof(textOf(given, 'file'), 'file', 'tree');
    if (proof.extra === null) throw new Refused('file', 'the file holds no statement');
    const statement = textOf(fromBase64(proof.extra, 'file', 'the statement'), 'file');
    if (proof.index !== 0) throw new Refused('tree: path', 'a statement is the first entry of its log');
    const log = await checkInclusion(await sha256(utf8.encode(statement)), proof, keys, 'tree');
    const { origin, former, reason, at } = await readContinuation(statement, keys);
    if (origin !== log.origin)
      throw new Refused('statement', `the statement is of ${origin}, not of ${log.origin}`);
    if (logName(origin) !== logName(former.origin))
      throw new Refused('statement', `${origin} and ${former.origin} are not logs of the same project`);
    return { origin, former, reason, at };
  }

  async function readContinuation(note, keys) {
    const split = note.lastIndexOf('\n\n');
    const text = note.slice(0, split + 1);
    const [header, origin, formerOrigin, size, root, reason, at, ...rest] = text.split('\n');
    const isStatement =
      header === 'consent-log-continues/v1' && isWhole(size) && rest.length === 1 && rest[0] === '';
    if (split < 0 || !note.endsWith('\n') || !isStatement || !reason || Number.isNaN(Date.parse(at)))
      throw new Refused('statement', 'this is no statement');
    const former = {
      origin: formerOrigin,
      size: Number(size),
      root: hashFrom(root, 'statement', 'the root'),
    };
    if (former.size === 0 && !equal(former.root, await sha256()))
      throw new Refused('statement', 'it names the root of an empty log, which has another one');
    await requireSignature(text, note.slice(split + 2, -1), { keys, origin, step: 'statement' });
    return { origin, former, reason, at };
  }

  /**
   * Checks a proof, and that its checkpoint of the root log is continued by one that has a time-stamp, so that the
   * time-stamp holds for the record as well. Throws as `verifyProof` does.
   */
  async function verifyStamped(proof, stampedNote, hashes, keys) {
    const { kind, instant, rootCheckpoint, steps } = await verifyProof(proof, keys);
    if (rootCheckpoint === null) throw new Refused('root log', `${UNROOTED}: download it again`);
    const { earlier, later } = await verifyConsistency(rootCheckpoint, stampedNote, hashes, keys);
    refuseEnded(later, { kind, instant }, 'later checkpoint');
    const found = `the ${earlier.size} entries begin the ${later.size} of the stamped checkpoint`;
    return { steps: [...steps, { step: 'stamped', found }] };
  }

  /** What an error says, for people. */
  function inWords(error, file = '') {
    if (error instanceof CannotCheck) return `CANNOT CHECK ${file}${error.message}`;
    return `WRONG ${file}${error.step ?? 'file'}: ${error.message}`;
  }

  // The command line

  const USAGE = `Usage: node verify.cjs proof <file.tlog-proof> <file of keys>
       node verify.cjs proofs <folder of them> <file of keys>
       node verify.cjs consistency <earlier checkpoint> <later checkpoint> <hashes> <file of keys>
       node verify.cjs continues <file of the statement> <last checkpoint of the former log> <file of keys>
       node verify.cjs begins <file of the statement> <file of keys>
       node verify.cjs stamped <file.tlog-proof> <stamped checkpoint> <hashes> <file of keys>
`;
  const COMMANDS = {
    proof: checkOne,
    proofs: checkFolder,
    consistency: checkConsistency,
    continues: checkContinuation,
    begins: checkBeginning,
    stamped: checkStamped,
  };
  const say = (line) => process.stdout.write(`${line}\n`);
  const tell = ({ step, found }) => say(`ok    ${step}: ${found}`);
  const note = (text) => say(`note  ${text}`);
  const wrong = (error, file = '') => {
    process.stderr.write(`${inWords(error, file)}\n`);
    process.exitCode = error instanceof CannotCheck ? (process.exitCode ?? 3) : 1;
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
    await check((name) => orCannot(() => files.readFileSync(name)), ...names).catch(wrong);
  }

  /** A file that cannot be read says nothing about a proof. */
  function orCannot(read) {
    try {
      return read();
    } catch (error) {
      throw new CannotCheck(error.message);
    }
  }

  async function checkOne(read, file, keys) {
    const { steps, notes } = await verifyProof(read(file), read(keys));
    steps.forEach(tell);
    notes.forEach(note);
  }

  async function checkConsistency(read, earlierFile, laterFile, hashes, keys) {
    const texts = [earlierFile, laterFile, hashes, keys].map(read);
    const { earlier, later, notes } = await verifyConsistency(...texts);
    say(`ok    ${later.origin}: the ${earlier.size} entries begin the ${later.size}`);
    notes.forEach(note);
  }

  async function checkContinuation(read, statement, last, keys) {
    const { origin, former, reason, at, notes } = await verifyContinuation(
      ...[statement, last, keys].map(read),
    );
    const found =
      former.size === 0
        ? `begins without a known checkpoint of ${former.origin}`
        : `continues the ${former.size} entries of ${former.origin}`;
    say(`ok    ${origin} ${found}, since ${at}: ${reason}`);
    notes.forEach(note);
  }

  async function checkBeginning(read, statement, keys) {
    const { origin, former, reason, at } = await verifyBeginning(...[statement, keys].map(read));
    say(`ok    ${origin} begins without a known checkpoint of ${former.origin}, since ${at}: ${reason}`);
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
    const names = orCannot(() => readdirSync(folder))
      .filter((name) => name.endsWith('.tlog-proof'))
      .sort();
    let [held, rooted] = [0, 0];
    for (const name of names) {
      try {
        const { record, scan, isInRootLog } = await verifyProof(read(join(folder, name)), keys);
        const { id } = record ?? scan;
        // A proof that holds proves nothing of the record under whose name it lies.
        const [named] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(name) ?? [id];
        if (named !== id) throw new Refused('file', `it is the proof of ${id}`);
        held += 1;
        if (isInRootLog) rooted += 1;
      } catch (error) {
        wrong(error, `${name} `);
      }
    }
    if (names.length === 0) throw new Refused('folder', `${folder} has no file that ends in .tlog-proof`);
    say(`ok    ${held} of ${names.length} proofs hold, ${rooted} of them in the root log too`);
  }

  const api = {
    verifyProof,
    verifyConsistency,
    verifyContinuation,
    verifyBeginning,
    verifyStamped,
    canonical,
    inWords,
    Refused,
    CannotCheck,
  };
  if (typeof module === 'object' && typeof require === 'function') {
    module.exports = api;
    if (require.main === module) void commandLine();
  } else {
    globalThis.consentVerify = api;
  }
})();
