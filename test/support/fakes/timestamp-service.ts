import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EncapsulatedContent, id_signedData, SignedData } from '@peculiar/asn1-cms';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  id_ct_tstInfo,
  PKIFreeText,
  PKIStatus,
  PKIStatusInfo,
  TimeStampReq,
  TimeStampResp,
  TimeStampToken,
  TSTInfo,
  TSTInfoVersion,
} from '@peculiar/asn1-tsp';

/** A timestamp service's response to a query. */
export type TimeStampBehaviour = (query: Buffer, response: ServerResponse) => void | Promise<void>;

/** A timestamp service on loopback. */
export interface TestTimeStampService {
  url: string;
  /** The queries so far. */
  queries: Buffer[];
  behave(behaviour: TimeStampBehaviour): void;
  close(): Promise<void>;
}

export async function startTimeStampService(behaviour: TimeStampBehaviour): Promise<TestTimeStampService> {
  let current = behaviour;
  const queries: Buffer[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const query = Buffer.concat(chunks);
    queries.push(query);
    await current(query, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/tsr`,
    queries,
    behave: (next) => (current = next),
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Answers 200 with bytes. */
export function reply(response: ServerResponse, bytes: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(bytes);
}

/** The content of a timestamp that differs from the request. */
export interface Altered {
  digest?: Buffer;
  nonce?: Buffer | null;
  at?: Date;
}

/** A timestamp without a signature, which the service does not look at. */
export function unsignedTimeStamp(query: Buffer, { digest, nonce, at = new Date() }: Altered = {}): Buffer {
  const asked = AsnConvert.parse(query, TimeStampReq);
  const { messageImprint } = asked;
  if (digest) messageImprint.hashedMessage = new OctetString(digest);
  const info = new TSTInfo({
    version: TSTInfoVersion.v1,
    policy: '1.2.3.4.1',
    messageImprint,
    serialNumber: Uint8Array.of(1).buffer,
    genTime: at,
    ...(nonce === undefined
      ? { nonce: asked.nonce }
      : nonce !== null && { nonce: Uint8Array.from(nonce).buffer }),
  });
  const signed = new SignedData({ version: 3 });
  signed.encapContentInfo.eContentType = id_ct_tstInfo;
  signed.encapContentInfo.eContent = new EncapsulatedContent({
    single: new OctetString(AsnConvert.serialize(info)),
  });
  return responseOf(
    PKIStatus.granted,
    new TimeStampToken({ contentType: id_signedData, content: AsnConvert.serialize(signed) }),
  );
}

/** A refusal, as a service says it that does not know the hash. */
export function rejection(words: string): Buffer {
  return responseOf(PKIStatus.rejection, undefined, words);
}

function responseOf(status: PKIStatus, token?: TimeStampToken, words?: string): Buffer {
  const response = new TimeStampResp({
    status: new PKIStatusInfo({ status, ...(words && { statusString: new PKIFreeText([words]) }) }),
    ...(token && { timeStampToken: token }),
  });
  return Buffer.from(AsnConvert.serialize(response));
}
