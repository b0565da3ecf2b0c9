/** Longest response head, also of each interim response; the limit of Node too. */
export const RESPONSE_HEAD_BYTES_MAX = 16 * 1024;
/** Body bytes that are read so that the connection can be reused; longer bodies close it (design §6.5). */
export const RESPONSE_BODY_BYTES_MAX = 16 * 1024;
/** How long an idle connection is kept by default, and at most if the receiver sends a timeout. */
export const KEEP_MS = 10_000;
export const KEEP_MS_MAX = 60_000;
/** Idle connections close this long before the timeout of the receiver, to avoid a race. */
const KEEP_MARGIN_MS = 2_000;

const LINE_END = '\r\n';
const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: |$)/;
const STATUS_LINE_BEGIN = 'HTTP/1.';
/** A line end for some parsers, but not for this one. */
const LONE_LINE_FEED = /(?<!\r)\n/;
/** A name, a colon and a value. */
const FIELD = /^([!#$%&'*+.^_`|~\dA-Za-z-]+):([^\r\0]*)$/;
const LENGTH = /^ *\d{1,15} *$/;
const CHUNKED = /^ *chunked *$/i;
const CHUNK_SIZE = /^([\dA-Fa-f]{1,12})(?:;|$)/;
const KEEP_SECONDS = /(?:^|[\t ,])timeout=(\d{1,6})/i;

/** How much of a response has been parsed. */
export type Reading =
  /** More bytes are expected. */
  | 'open'
  /** The response is complete. */
  | 'whole'
  /** The status is known; the rest is too long or its end is undefined. */
  | 'cut'
  /** Not HTTP. */
  | 'invalid';

/** How the end of the body is determined. */
type Framing =
  { kind: 'length'; bytes: number } | { kind: 'chunked' } | { kind: 'until_closed' } | { kind: 'unknown' };

/**
 * Parses the response to one request incrementally: the status, and where it ends, so that the connection can
 * be reused (RFC 9112). The status line decides about a delivery (spec §3.3), so errors after it only cost
 * the connection. Any number of 1xx responses may precede the final one (RFC 9110 §15.2).
 */
export class ResponseParser {
  /** Of the final response; null until its head is complete. */
  httpStatus: number | null = null;
  /** The raw header of the final response. */
  retryAfter: string | undefined;
  /** How long the connection may stay idle after the response, in milliseconds; 0: close it. */
  keepMs = 0;
  /** Unparsed input, one character per byte. */
  private text = '';
  private framing: Framing = { kind: 'unknown' };
  /** Where the next chunk begins in `text`. */
  private chunkAt = 0;

  /** Parses more bytes; call it only while it returns `open`. */
  read(bytes: Buffer): Reading {
    this.text += bytes.toString('latin1');
    while (this.httpStatus === null) {
      const end = this.text.indexOf(HEAD_END);
      if (end === -1) return this.mayBecomeHead() ? 'open' : 'invalid';
      if (!this.readHead(end)) return 'invalid';
    }
    return this.readBody();
  }

  /** The body received so far, one character per byte, at most `RESPONSE_BODY_BYTES_MAX`. */
  receivedBody(): string {
    const { framing, text } = this;
    if (this.httpStatus === null) return '';
    if (framing.kind === 'chunked') return readChunkData(text.slice(0, RESPONSE_BODY_BYTES_MAX));
    const length = framing.kind === 'length' ? framing.bytes : RESPONSE_BODY_BYTES_MAX;
    return text.slice(0, Math.min(length, RESPONSE_BODY_BYTES_MAX));
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

  /** Returns whether the head is valid. */
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
        // Optional trailers and an empty line follow the last chunk.
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

  /** Extra bytes after the response make the connection unusable. */
  private wholeAt(end: number): Reading {
    if (end > RESPONSE_BODY_BYTES_MAX) return 'cut';
    if (this.text.length > end) this.keepMs = 0;
    return 'whole';
  }
}

/** The relevant header fields. `framing` is unknown if they are malformed or contradictory. */
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
        if (seconds !== undefined)
          head.keepMs = Math.min(KEEP_MS_MAX, Math.max(0, Number(seconds) * 1000 - KEEP_MARGIN_MS));
        break;
      }
      case 'retry-after':
        head.retryAfter = value;
    }
  }
  return head;
}

/** The data of the chunks in `text`, up to its end, to the last chunk, or to the first error. */
function readChunkData(text: string): string {
  const data: string[] = [];
  for (let at = 0; ;) {
    const lineEnd = text.indexOf(LINE_END, at);
    const size = lineEnd === -1 ? undefined : CHUNK_SIZE.exec(text.slice(at, lineEnd))?.[1];
    const bytes = size === undefined ? 0 : Number.parseInt(size, 16);
    if (bytes === 0) return data.join('');
    const begin = lineEnd + LINE_END.length;
    data.push(text.slice(begin, begin + bytes));
    at = begin + bytes + LINE_END.length;
    if (!text.startsWith(LINE_END, begin + bytes)) return data.join('');
  }
}

/** A second or malformed field about the end of the body makes it unknown. */
function framedBy(known: Framing, said: Framing | false): Framing {
  return said && known.kind === 'until_closed' ? said : { kind: 'unknown' };
}
