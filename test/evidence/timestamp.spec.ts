import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { AsnConvert } from '@peculiar/asn1-schema';
import { TimeStampReq } from '@peculiar/asn1-tsp';
import {
  createTimestampRequest,
  type TimestampRequest,
  judgeTimestamp,
  encodeTimestampRequest,
} from '../../src/modules/evidence/domain/timestamp.js';

/** Of OpenSSL 3.0, to a query of ours over `checkpoint.txt`. */
const FOLDER = join(import.meta.dirname, '..', 'vectors', 'timestamp');
const read = (name: string): Buffer => readFileSync(join(FOLDER, name));
/** Changes one byte in this many: reading a response takes some milliseconds. */
const BYTES_APART = 7;
const query = read('query.tsq');
const answer = read('answer.tsr');
const checkpoint = read('checkpoint.txt').toString();

function askedIn(bytes: Buffer): TimestampRequest {
  const { messageImprint, nonce } = AsnConvert.parse(bytes, TimeStampReq);
  return {
    digest: Buffer.from(messageImprint.hashedMessage.buffer),
    nonce: Buffer.from(nonce ?? new ArrayBuffer()),
  };
}
const asked = askedIn(query);
const reasonOf = (bytes: Buffer, of = asked): string => {
  const judged = judgeTimestamp(bytes, of);
  return judged.kind === 'refused' ? judged.reason : judged.kind;
};

describe('a query', () => {
  it('is that of the vector, where the nonce is', () => {
    expect(encodeTimestampRequest({ ...createTimestampRequest(checkpoint), nonce: asked.nonce })).toEqual(
      query,
    );
  });

  it('has another nonce each time, which is an integer as DER wants it', () => {
    const nonces = Array.from({ length: 500 }, () => createTimestampRequest(checkpoint).nonce);
    expect(new Set(nonces.map((nonce) => nonce.toString('hex'))).size).toBe(500);
    for (const nonce of nonces) {
      expect(nonce).toHaveLength(16);
      expect(nonce[0]).toBeGreaterThanOrEqual(0x40);
      expect(nonce[0]).toBeLessThan(0x80);
    }
  });
});

describe(judgeTimestamp.name, () => {
  it('takes what was asked for, with the time of the service', () => {
    expect(judgeTimestamp(answer, asked)).toEqual({
      kind: 'granted',
      at: new Date('2026-11-22T07:51:03Z'),
      nonce: asked.nonce,
    });
  });

  it('refuses the answer to another query, over the same and over something else', () => {
    expect(reasonOf(answer, createTimestampRequest(checkpoint))).toBe('other_nonce');
    expect(reasonOf(answer, { ...createTimestampRequest(`${checkpoint}x`), nonce: asked.nonce })).toBe(
      'other_data',
    );
  });

  it('says that the service has refused, and in which words', () => {
    const judged = judgeTimestamp(read('rejected.tsr'), asked);
    expect(judged).toEqual({
      kind: 'refused',
      reason: 'rejected',
      detail: 'status 2, ["Message digest algorithm is not supported."]',
    });
  });

  it('refuses what is cut off anywhere, goes on behind its end, or is no answer at all', () => {
    for (let length = 0; length < answer.length; length++)
      expect([length, reasonOf(answer.subarray(0, length))]).toEqual([length, 'malformed']);
    expect(reasonOf(Buffer.concat([answer, Buffer.of(0)]))).toBe('malformed');
    for (const bytes of [Buffer.from('<html>'), query, Buffer.alloc(65_536, 0x30), Buffer.alloc(65_536)])
      expect(reasonOf(bytes)).toBe('malformed');
  });

  it('never throws, whatever one byte of the answer is', () => {
    for (let at = 0; at < answer.length; at += BYTES_APART) {
      const changed = Buffer.from(answer);
      changed[at] = (changed[at] ?? 0) ^ 0x15;
      expect(['granted', 'malformed', 'rejected', 'other_data', 'other_nonce']).toContain(reasonOf(changed));
    }
  });
});
