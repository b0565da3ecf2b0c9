import type { Socket } from 'node:net';

/** Where the three digits of a status line begin: behind `HTTP/1.1 `. */
const STATUS_AT = 9;
const STATUS_LINE_BEGIN = 'HTTP/1.';
const DIGIT_0 = 0x30;
const DIGIT_1 = 0x31;
const DIGIT_2 = 0x32;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Lets any number of 1xx answers stand before the final one (RFC 9110 §15.2). undici takes `100 Continue`,
 * which it never asked for, as the end of the connection; some servers send it all the same, and the record
 * would count as failed although it arrived. So the status of every interim answer becomes 102, which undici
 * passes over, as its bytes come from the socket. Nothing is kept back and nothing gets longer.
 */
export class InterimResponses {
  /** How much of a status line has been read; -1: what follows is passed on unread. */
  private position = -1;
  private interim = false;
  /** Line ends in a row inside an interim head: two end it. */
  private lineEnds = 0;

  /** Call it with each request: the next byte is the first of an answer. */
  expectAnswer(): void {
    this.position = 0;
    this.interim = false;
    this.lineEnds = 0;
  }

  /** Reads a chunk, and changes the status digits of interim answers in place. */
  pass(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.position !== -1; at += 1) {
      if (this.interim && this.position > STATUS_AT + 2) this.readHead(chunk[at] ?? 0);
      else this.readStatus(chunk, at);
    }
  }

  private readStatus(chunk: Buffer, at: number): void {
    const byte = chunk[at] ?? 0;
    const { position } = this;
    this.position += 1;
    if (position < STATUS_LINE_BEGIN.length) {
      // What is no HTTP is the parser's to refuse.
      if (byte !== STATUS_LINE_BEGIN.charCodeAt(position)) this.position = -1;
    } else if (position === STATUS_AT) {
      this.interim = byte === DIGIT_1;
      if (!this.interim) this.position = -1;
    } else if (position > STATUS_AT) {
      chunk[at] = position === STATUS_AT + 1 ? DIGIT_0 : DIGIT_2;
    }
  }

  private readHead(byte: number): void {
    if (byte === LINE_FEED) this.lineEnds += 1;
    else if (byte !== CARRIAGE_RETURN) this.lineEnds = 0;
    if (this.lineEnds === 2) this.expectAnswer();
  }
}

/** Has everything that is read from the socket pass by. */
export function watchInterimResponses(socket: Socket): InterimResponses {
  const watch = new InterimResponses();
  const read = socket.read.bind(socket);
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (Buffer.isBuffer(chunk)) watch.pass(chunk);
    return chunk;
  };
  return watch;
}
