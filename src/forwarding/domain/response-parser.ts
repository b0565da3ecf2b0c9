/** Longest head of an answer that is read, each interim one by itself; it is Node's own limit. */
export const RESPONSE_HEAD_BYTES_MAX = 16 * 1024;
/** Bytes of an answer's body that are read, so that the connection can be used again; then it is cut (design §6.5). */
export const RESPONSE_BODY_BYTES_MAX = 16 * 1024;
/** How long an idle connection is kept where the receiver does not say, and at most where it does. */
export const KEEP_MS = 10_000;
export const KEEP_MS_MAX = 60_000;
/** A connection is given up so long before its receiver says that he does, or both might at once. */
const KEEP_MARGIN_MS = 2_000;

const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const STATUS_LINE_BEGIN = 'HTTP/1.';
/** What some readers take for the end of a line, and we do not. */
const LONE_LINE_FEED = /(?<!\r)\n/;
/** A name, a colon and a value. */
const FIELD = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):([^\r\0]*)$/;
const LENGTH = /^ *\d{1,15} *$/;
const CHUNKED = /^ *chunked *$/i;
const CHUNK_SIZE = /^([\dA-Fa-f]{1,12})(?:;|$)/;
const KEEP_SECONDS = /(?:^|[\t ,])timeout=(\d{1,6})/i;

/** How far the answer to one request has been read. */
export type Reading =
  /** Something of it is still to come. */
  | 'open'
  /** All of it has come. */
  | 'whole'
  /** Its status stands; the rest is too long, or nobody can say where it ends. */
  | 'cut'
  /** It is no HTTP. */
  | 'invalid';

/** Where the body of an answer ends. */
type Framing =
  { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'until_closed' } | { kind: 'unknown' };

/**
 * Reads the answer to one request as its bytes come: the status, and where it ends, so that the connection can carry the
 * next request (RFC 9112). The status line decides about a delivery (spec §3.3), so a fault behind it costs the
 * connection alone. Any number of 1xx answers may stand before the final one (RFC 9110 §15.2).
 */
export class ResponseParser {
  /** Of the final answer; null while its head is not whole. */
  httpStatus: number | null = null;
  /** The header as it came with the final answer. */
  retryAfter: string | undefined;
  /** How long the connection may wait for another request once the answer is whole, in milliseconds; 0: not at all. */
  keepMs = 0;
  /** What is not understood yet: one character a byte. */
  private text = '';
  private framing: Framing = { kind: 'unknown' };
  /** Where the next chunk begins in `text`. */
  private chunkAt = 0;

  /** Reads what has come now; not to be called after another answer than `open`. */
  read(bytes: Buffer): Reading {
    this.text += bytes.toString('latin1');
    while (this.httpStatus === null) {
      const end = this.text.indexOf(HEAD_END);
      if (end === -1) return this.mayBecomeHead() ? 'open' : 'invalid';
      if (!this.readHead(end)) return 'invalid';
    }
    return this.readBody();
  }

  private mayBecomeHead(): boolean {
    const { text } = this;
    const lineEnd = text.indexOf(LINE_END);
    const begins =
      lineEnd === -1
        ? STATUS_LINE_BEGIN.startsWith(text.slice(0, STATUS_LINE_BEGIN.length))
        : STATUS_LINE.test(text.slice(0, lineEnd));
    return begins && text.length <= RESPONSE_HEAD_BYTES_MAX && !LONE_LINE_FEED.test(text);
  }

  /** Returns whether it is one. */
  private readHead(end: number): boolean {
    const text = this.text.slice(0, end);
    const [statusLine = '', ...fields] = text.split(LINE_END);
    const [, minor, status] = STATUS_LINE.exec(statusLine) ?? [];
    if (status === undefined || end > RESPONSE_HEAD_BYTES_MAX || LONE_LINE_FEED.test(text)) return false;
    this.text = this.text.slice(end + HEAD_END.length);
    const httpStatus = Number(status);
    if (httpStatus < 200) return true;
    this.httpStatus = httpStatus;
    const head = readFields(fields);
    this.retryAfter = head.retryAfter;
    const isBodiless = httpStatus === 204 || httpStatus === 304;
    this.framing =
      isBodiless && head.framing.kind !== 'unknown' ? { kind: 'length', bytes: 0 } : head.framing;
    this.keepMs = head.closes || (minor === '0' && !head.keeps) ? 0 : head.keepMs;
    return true;
  }

  private readBody(): Reading {
    const { framing, text } = this;
    switch (framing.kind) {
      case 'unknown':
        return 'cut';
      case 'length':
        return text.length < framing.bytes ? this.openOrCut() : this.wholeAt(framing.bytes);
      case 'until_closed':
        return this.openOrCut();
      case 'chunked':
        return this.readChunks();
    }
  }

  private readChunks(): Reading {
    for (;;) {
      const lineEnd = this.text.indexOf(LINE_END, this.chunkAt);
      if (lineEnd === -1) return this.openOrCut();
      const size = CHUNK_SIZE.exec(this.text.slice(this.chunkAt, lineEnd))?.[1];
      if (size === undefined) return 'cut';
      const bytes = Number.parseInt(size, 16);
      if (bytes === 0) {
        // Behind the last chunk stand trailers, or none, and an empty line.
        const end = this.text.indexOf(HEAD_END, lineEnd);
        return end === -1 ? this.openOrCut() : this.wholeAt(end + HEAD_END.length);
      }
      const end = lineEnd + LINE_END.length + bytes;
      if (this.text.length < end + LINE_END.length) return this.openOrCut();
      if (!this.text.startsWith(LINE_END, end)) return 'cut';
      this.chunkAt = end + LINE_END.length;
    }
  }

  private openOrCut(): Reading {
    return this.text.length > RESPONSE_BODY_BYTES_MAX ? 'cut' : 'open';
  }

  /** What came behind the end of the answer is nobody's: then the connection is not used again. */
  private wholeAt(end: number): Reading {
    if (end > RESPONSE_BODY_BYTES_MAX) return 'cut';
    if (this.text.length > end) this.keepMs = 0;
    return 'whole';
  }
}

/** What the fields of a head say that concerns us. `framing` is unknown where they contradict each other, or are no fields. */
interface Head {
  framing: Framing;
  closes: boolean;
  keeps: boolean;
  keepMs: number;
  retryAfter: string | undefined;
}

function readFields(fields: string[]): Head {
  const head: Head = {
    framing: { kind: 'until_closed' },
    closes: false,
    keeps: false,
    keepMs: KEEP_MS,
    retryAfter: undefined,
  };
  for (const field of fields) {
    const [, name, text = ''] = FIELD.exec(field) ?? [];
    const value = text.trim();
    switch (name?.toLowerCase()) {
      case undefined:
        return { ...head, framing: { kind: 'unknown' } };
      case 'content-length':
        head.framing = framedBy(head.framing, LENGTH.test(text) && { kind: 'length', bytes: Number(text) });
        break;
      case 'transfer-encoding':
        head.framing = framedBy(head.framing, CHUNKED.test(text) && { kind: 'chunked' });
        break;
      case 'connection': {
        const options = value.toLowerCase().split(/[\t ]*,[\t ]*/);
        head.closes ||= options.includes('close');
        head.keeps ||= options.includes('keep-alive');
        break;
      }
      case 'keep-alive': {
        const seconds = KEEP_SECONDS.exec(value)?.[1];
        if (seconds !== undefined) {
          head.keepMs = Math.min(KEEP_MS_MAX, Math.max(0, Number(seconds) * 1000 - KEEP_MARGIN_MS));
        }
        break;
      }
      case 'retry-after':
        head.retryAfter = value;
    }
  }
  return head;
}

/** A second field about the end of the body, and one that cannot be read, leave it unknown. */
function framedBy(known: Framing, said: Framing | false): Framing {
  return said && known.kind === 'until_closed' ? said : { kind: 'unknown' };
}
