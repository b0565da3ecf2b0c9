import { hash, randomBytes } from 'node:crypto';
import { id_signedData, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  id_ct_tstInfo,
  MessageImprint,
  PKIStatus,
  TimeStampReq,
  TimeStampReqVersion,
  TimeStampResp,
  TSTInfo,
} from '@peculiar/asn1-tsp';
import { AlgorithmIdentifier } from '@peculiar/asn1-x509';

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const NONCE_BYTES = 16;
/** Of what a service says in its own words. */
const WORDS_CHARACTERS_MAX = 200;

/** A time-stamp that is asked for (RFC 3161 §2.4.1). */
export interface AskedTimeStamp {
  /** SHA-256 of what is to be stamped. */
  digest: Buffer;
  /** Distinguishes a response from an older one. */
  nonce: Buffer;
}

export type JudgedTimeStamp =
  /** `at` is what the service's clock says; `nonce` is that of the request, where it had one. */
  | { kind: 'granted'; at: Date; nonce: Buffer | null }
  /** `reason` is one of few; `detail` completes it for the log. */
  | { kind: 'refused'; reason: 'malformed' | 'rejected' | 'other_data' | 'other_nonce'; detail: string };

export function askedTimeStamp(stamped: string): AskedTimeStamp {
  const nonce = randomBytes(NONCE_BYTES);
  // An integer in DER is as short as it can be and has a sign: this one is positive, whatever the rest.
  nonce[0] = 0x40 | ((nonce[0] ?? 0) & 0x3f);
  return { digest: hash('sha256', stamped, 'buffer'), nonce };
}

/** The request in DER. It asks for the service's certificate, so that the answer can be checked by its root alone. */
export function timeStampQuery({ digest, nonce }: AskedTimeStamp): Buffer {
  const query = new TimeStampReq({
    version: TimeStampReqVersion.v1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA_256, parameters: null }),
      hashedMessage: new OctetString(digest),
    }),
    nonce: Uint8Array.from(nonce).buffer,
    certReq: true,
  });
  return Buffer.from(AsnConvert.serialize(query));
}

/** Whether an answer is the time-stamp that was asked for: granted, over this digest, with this nonce. */
export function judgeTimeStamp(answer: Buffer, asked: AskedTimeStamp): JudgedTimeStamp {
  const judged = readTimeStamp(answer, asked.digest);
  if (judged.kind === 'granted' && !judged.nonce?.equals(asked.nonce))
    return { kind: 'refused', reason: 'other_nonce', detail: 'the response belongs to another request' };
  return judged;
}

/**
 * Whether a response is a time-stamp over a digest. This does not verify its signature: readers of a time-stamp verify
 * it with a certificate that they trust.
 */
export function readTimeStamp(answer: Buffer, digest: Buffer): JudgedTimeStamp {
  let response: TimeStampResp;
  let info: TSTInfo | null;
  try {
    response = AsnConvert.parse(answer, TimeStampResp);
    info = infoOf(response);
    // The library reads the first value and ignores bytes after it.
    if (AsnConvert.serialize(response).byteLength !== answer.length)
      return malformed('the response is not valid DER');
  } catch (cause) {
    return malformed(cause instanceof Error ? cause.message : String(cause));
  }
  const { status, statusString } = response.status;
  if (status !== PKIStatus.granted && status !== PKIStatus.grantedWithMods) {
    const words = JSON.stringify(statusString ?? null).slice(0, WORDS_CHARACTERS_MAX);
    return { kind: 'refused', reason: 'rejected', detail: `status ${status}, ${words}` };
  }
  if (!info) return malformed('the response contains no timestamp');
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  if (hashAlgorithm.algorithm !== SHA_256 || !digest.equals(Buffer.from(hashedMessage.buffer)))
    return { kind: 'refused', reason: 'other_data', detail: 'the timestamp covers different data' };
  return { kind: 'granted', at: info.genTime, nonce: info.nonce ? Buffer.from(info.nonce) : null };
}

/** What is signed in an answer; null where nothing is. */
function infoOf({ timeStampToken }: TimeStampResp): TSTInfo | null {
  if (timeStampToken?.contentType !== id_signedData) return null;
  const { encapContentInfo } = AsnConvert.parse(timeStampToken.content, SignedData);
  const content = encapContentInfo.eContent?.single;
  if (encapContentInfo.eContentType !== id_ct_tstInfo || !content) return null;
  return AsnConvert.parse(content.buffer, TSTInfo);
}

const malformed = (detail: string): JudgedTimeStamp => ({
  kind: 'refused',
  reason: 'malformed',
  detail: detail.slice(0, WORDS_CHARACTERS_MAX),
});
