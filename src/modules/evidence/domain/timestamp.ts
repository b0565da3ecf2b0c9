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
/** Limit of a service's error text. */
const DETAIL_CHARACTERS_MAX = 200;

/** A timestamp request (RFC 3161 §2.4.1). */
export interface TimestampRequest {
  /** SHA-256 of the data to stamp. */
  digest: Buffer;
  /** Distinguishes a response from an older one. */
  nonce: Buffer;
}

export type TimestampVerdict =
  /** `at` is by the service's clock; `nonce` is that of the request, if it had one. */
  | { kind: 'granted'; at: Date; nonce: Buffer | null }
  /** `reason` is one of a few codes; `detail` adds details for the log. */
  | { kind: 'refused'; reason: 'malformed' | 'rejected' | 'other_data' | 'other_nonce'; detail: string };

export function createTimestampRequest(stamped: string): TimestampRequest {
  const nonce = randomBytes(NONCE_BYTES);
  // DER integers are signed and as short as possible: this keeps the nonce positive and its length constant.
  nonce[0] = 0x40 | ((nonce[0] ?? 0) & 0x3f);
  return { digest: hash('sha256', stamped, 'buffer'), nonce };
}

/** The request in DER. It asks for the service's certificate, so that the root certificate is enough to verify it. */
export function encodeTimestampRequest({ digest, nonce }: TimestampRequest): Buffer {
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

/** Whether a response is the requested timestamp: granted, with this digest and nonce. */
export function judgeTimestamp(response: Buffer, request: TimestampRequest): TimestampVerdict {
  const judged = readTimestamp(response, request.digest);
  if (judged.kind === 'granted' && !judged.nonce?.equals(request.nonce))
    return { kind: 'refused', reason: 'other_nonce', detail: 'the response belongs to another request' };
  return judged;
}

/**
 * Whether a response is a timestamp of a digest. The signature is not verified: readers verify it with a certificate that
 * they trust.
 */
export function readTimestamp(bytes: Buffer, digest: Buffer): TimestampVerdict {
  let response: TimeStampResp;
  let info: TSTInfo | null;
  try {
    response = AsnConvert.parse(bytes, TimeStampResp);
    info = parseTstInfo(response);
    // The library reads the first value and ignores bytes after it.
    if (AsnConvert.serialize(response).byteLength !== bytes.length)
      return malformed('the response is not valid DER');
  } catch (cause) {
    return malformed(cause instanceof Error ? cause.message : String(cause));
  }
  const { status, statusString } = response.status;
  if (status !== PKIStatus.granted && status !== PKIStatus.grantedWithMods) {
    const text = JSON.stringify(statusString ?? null).slice(0, DETAIL_CHARACTERS_MAX);
    return { kind: 'refused', reason: 'rejected', detail: `status ${status}, ${text}` };
  }
  if (!info) return malformed('the response contains no timestamp');
  const { hashAlgorithm, hashedMessage } = info.messageImprint;
  if (hashAlgorithm.algorithm !== SHA_256 || !digest.equals(Buffer.from(hashedMessage.buffer)))
    return { kind: 'refused', reason: 'other_data', detail: 'the timestamp covers different data' };
  return { kind: 'granted', at: info.genTime, nonce: info.nonce ? Buffer.from(info.nonce) : null };
}

/** The signed content of a response; null: none. */
function parseTstInfo({ timeStampToken }: TimeStampResp): TSTInfo | null {
  if (timeStampToken?.contentType !== id_signedData) return null;
  const { encapContentInfo } = AsnConvert.parse(timeStampToken.content, SignedData);
  const content = encapContentInfo.eContent?.single;
  if (encapContentInfo.eContentType !== id_ct_tstInfo || !content) return null;
  return AsnConvert.parse(content.buffer, TSTInfo);
}

const malformed = (detail: string): TimestampVerdict => ({
  kind: 'refused',
  reason: 'malformed',
  detail: detail.slice(0, DETAIL_CHARACTERS_MAX),
});
