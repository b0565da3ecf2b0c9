/** Header names and values, alternating. */
export type HeaderList = string[];

/** Printable ASCII, so that no value can inject another header. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * A POST in HTTP/1.1 syntax (RFC 9112 §3), for a persistent connection.
 *
 * @throws Error for an invalid header value, which is a bug; the message does not repeat the value.
 */
export function requestText({ url, headers, body }: { url: URL; headers: HeaderList; body: string }): string {
  let text = `POST ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n`;
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const [name, value] = [headers[at] ?? '', headers[at + 1] ?? ''];
    if (!HEADER_VALUE.test(value)) throw new Error(`the header ${name} contains invalid characters`);
    text += `${name}: ${value}\r\n`;
  }
  return `${text}Connection: keep-alive\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
