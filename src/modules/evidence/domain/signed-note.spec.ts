import { describe, expect, it } from '@jest/globals';
import { checkpointText, readCheckpoint } from './checkpoint.js';
import { computeKeyId, openNote, createSigner, signNote, verifierLine } from './signed-note.js';
import { readTlogProof, writeTlogProof } from './tlog-proof.js';

// RFC 8032 §7.1, test 1.
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC_KEY = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';

const key = createSigner('consent.example/log', SEED);
const root = Buffer.alloc(32, 7);

describe('a signed note', () => {
  const text = checkpointText({ origin: 'consent.example/log', size: 12, root });

  it('has the key of the published seed', () => {
    expect(key.publicKey.toString('hex')).toBe(PUBLIC_KEY);
    expect(verifierLine(key)).toBe(
      `consent.example/log+${computeKeyId(key).toString('hex')}+${Buffer.from(`01${PUBLIC_KEY}`, 'hex').toString('base64')}`,
    );
  });

  it('opens with a key that has signed it, beside others', () => {
    const other = createSigner('witness.example', Buffer.alloc(32, 1));
    const note = signNote(text, [other, key]);
    expect(openNote(note, [key])).toBe(text);
    expect(openNote(note, [other])).toBe(text);
    expect(openNote(note, [createSigner('witness.example', Buffer.alloc(32, 2))])).toBeNull();
    expect(openNote(note, [])).toBeNull();
  });

  it('is refused with a wrong signature of a known key, or with a malformed line, beside a right one', () => {
    const other = createSigner('witness.example', Buffer.alloc(32, 1));
    const wrong = signNote('another text\n', [other]).split('\n\n')[1] ?? '';
    const note = signNote(text, [key]);
    for (const both of [`${note}${wrong}`, note.replace(/— .*\n/, (right) => wrong + right)]) {
      expect(openNote(both, [key])).toBe(text);
      expect(openNote(both, [key, other])).toBeNull();
    }
    for (const line of ['\n', 'nothing\n', '— witness.example AAAA\n', '— a+b AAAAAAAA\n'])
      expect(openNote(`${note}${line}`, [key])).toBeNull();
    expect(openNote(`${note}${wrong.repeat(100)}`, [key])).toBeNull();
  });

  it('is refused with any byte altered', () => {
    const note = Buffer.from(signNote(text, [key]));
    for (let at = 0; at < note.length; at++) {
      const altered = Buffer.from(note);
      altered[at] = (altered[at] as number) ^ 1;
      expect([at, openNote(altered.toString(), [key])]).toEqual([at, null]);
    }
  });

  it('reads back as a checkpoint, and nothing else does', () => {
    expect(readCheckpoint(text)).toEqual({ origin: 'consent.example/log', size: 12, root });
    expect(readCheckpoint(`${text}since 2026-11\n`)).toMatchObject({ extensions: ['since 2026-11'] });
    for (const wrong of [
      '',
      '\n12\n',
      text.slice(0, -1),
      text.replace('12', '012'),
      text.replace('12', '1e3'),
      text.replace('=', ''),
      `${text}\n`,
    ])
      expect(readCheckpoint(wrong)).toBeNull();
  });
});

describe('a proof in one file', () => {
  const proof = { extra: Buffer.from('{"a":1}'), index: 5, path: [root, root], checkpoint: 'a\n\n— b c\n' };

  it('reads back', () => {
    expect(readTlogProof(writeTlogProof(proof))).toEqual(proof);
    expect(readTlogProof(writeTlogProof({ ...proof, extra: null, path: [] }))).toEqual({
      ...proof,
      extra: null,
      path: [],
    });
  });

  it('is refused where it is none', () => {
    const text = writeTlogProof(proof);
    for (const wrong of [
      '',
      text.replace('@v1', '@v2'),
      text.replace('index 5', 'index 05'),
      text.replace(root.toString('base64'), root.toString('base64').slice(4)),
      text.replace('\n\n', '\n'),
      writeTlogProof({ ...proof, path: Array<Buffer>(65).fill(root) }),
    ])
      expect(readTlogProof(wrong)).toBeNull();
  });
});
