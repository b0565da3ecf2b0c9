import { createSocket } from 'node:dgram';
import { isIP } from 'node:net';

/** A name server on loopback that knows a few names; every other name does not exist. */
export interface DnsServer {
  /** `127.0.0.1:port`, for `NameResolver`'s `servers`. */
  address: string;
  /** Names that were queried, in order. */
  queries: string[];
  /** Answers late from now on; 0 at once. */
  answerAfter(ms: number): void;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
const TYPE_TXT = 16;
const TYPE_AAAA = 28;
const TYPE_CAA = 257;
/** A pointer to the name in the question. */
const QUESTION_NAME = Buffer.from([0xc0, 0x0c]);
const HEADER_BYTES = 12;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;

/**
 * The records of a name: addresses; another name (CNAME); other addresses for each query, the last
 * ones permanently; texts; the CAs that may issue (CAA); an error.
 */
export type DnsRecord =
  | string[]
  | { alias: string }
  | { inTurn: string[][] }
  | { texts: string[] }
  | { issuers: string[] }
  | { error: true };

/**
 * Starts a server with the given records per name; `null` leaves a name unanswered, `*.` covers every other label. The
 * records are read for each query, so a test may change them.
 */
export async function startDnsServer(
  records: Record<string, DnsRecord | null>,
  { address = '127.0.0.1', port = 0 } = {},
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  const times = new Map<string, number>();
  let delayMs = 0;
  let closed = false;
  socket.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    queries.push(name);
    const record = name in records ? records[name] : records[name.replace(/^[^.]+/, '*')];
    if (record === null) return;
    const time = times.get(`${name} ${type}`) ?? 0;
    times.set(`${name} ${type}`, time + 1);
    const alias = record && 'alias' in record ? record.alias : null;
    const addresses = addressesOf(alias === null ? record : (records[alias] ?? undefined), time);
    const wanted = (addresses ?? []).filter((address) => isIP(address) === (type === TYPE_AAAA ? 6 : 4));
    const answers = [TYPE_A, TYPE_AAAA].includes(type) ? wanted : [];
    const data = dataOf(record, type);
    const isMissing = addresses === undefined && !(alias !== null && type === TYPE_CNAME);
    const code = record && 'error' in record ? SERVER_FAILURE : isMissing ? NAME_ERROR : 0;
    const header = Buffer.alloc(HEADER_BYTES);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length + data.length + (alias === null ? 0 : 1), 6);
    const owner = alias === null ? QUESTION_NAME : nameBytes(alias);
    const body = answers.map((address) => answerOf(owner, type, addressBytes(address)));
    body.push(...data.map((bytes) => answerOf(QUESTION_NAME, type, bytes)));
    if (alias !== null) body.unshift(answerOf(QUESTION_NAME, TYPE_CNAME, nameBytes(alias)));
    const answer = Buffer.concat([header, query.subarray(HEADER_BYTES, end), ...body]);
    const send = (): void => {
      if (!closed) socket.send(answer, from.port, from.address);
    };
    if (delayMs === 0) send();
    else setTimeout(send, delayMs);
  });
  await new Promise<void>((resolve) => socket.bind(port, address, resolve));
  return {
    address: `${address}:${socket.address().port}`,
    queries,
    answerAfter: (ms) => (delayMs = ms),
    close: () => {
      closed = true;
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function addressesOf(record: DnsRecord | undefined, time: number): string[] | undefined {
  if (record === undefined || Array.isArray(record)) return record;
  if ('inTurn' in record) return record.inTurn[time] ?? record.inTurn.at(-1);
  return 'alias' in record ? undefined : [];
}

/** The data of texts and of CAA records. */
function dataOf(record: DnsRecord | undefined, type: number): Buffer[] {
  if (record === undefined || Array.isArray(record)) return [];
  if ('texts' in record && type === TYPE_TXT)
    return record.texts.map((text) => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]));
  if ('issuers' in record && type === TYPE_CAA)
    return record.issuers.map((issuer) =>
      Buffer.concat([Buffer.from([0, 5]), Buffer.from(`issue${issuer}`)]),
    );
  return [];
}

function answerOf(owner: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(10);
  // Class IN, no time to live.
  head.writeUInt16BE(type, 0);
  head.writeUInt16BE(1, 2);
  head.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, head, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [left = '', right = ''] = address.split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const middle = Array.from({ length: 8 - groups(left).length - groups(right).length }, () => '0');
  const hex = [...groups(left), ...middle, ...groups(right)].map((group) => group.padStart(4, '0'));
  return Buffer.from(hex.join(''), 'hex');
}
