import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** A host's rules for the headers of every response, independent of the code that sends it. */
export interface HeaderRules {
  /** The value to send for a header, whose name is in lower case; null: none. */
  rewrite(name: string, value: OutgoingHttpHeader): OutgoingHttpHeader | null;
  /** Headers to add, name and value alternating, given the names of the others. */
  add(sent: readonly string[]): string[];
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Applies rules once all headers of a response are set and before any is sent. */
export function applyHeaderRules(response: ServerResponse, rules: HeaderRules): void {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    reason: string | undefined,
    headers: OutgoingHttpHeader[],
  ) => ServerResponse;
  response.writeHead = (status: number, reason?: string | Headers, headers?: Headers) => {
    const given = (typeof reason === 'string' ? headers : reason) ?? [];
    const sent: string[] = [];
    const flat: OutgoingHttpHeader[] = [];
    const take = (name: string, value: OutgoingHttpHeader): boolean => {
      const lower = name.toLowerCase();
      const ruled = rules.rewrite(lower, value);
      if (ruled === null) return false;
      sent.push(lower);
      flat.push(name, ruled);
      return true;
    };
    const pairs = Array.isArray(given) ? given : Object.entries(given).flat();
    // Headers set before are sent with the others.
    for (const name of response.getHeaderNames()) {
      const value = response.getHeader(name);
      response.removeHeader(name);
      if (value !== undefined && !hasName(pairs, name)) take(name, value);
    }
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const value = pairs[at + 1];
      if (value !== undefined) take(String(pairs[at]), value);
    }
    flat.push(...rules.add(sent));
    return writeHead(status, typeof reason === 'string' ? reason : undefined, flat);
  };
}

/** Like `writeHead`: a header given there replaces the one set before. */
function hasName(pairs: readonly (OutgoingHttpHeader | undefined)[], name: string): boolean {
  return pairs.some((value, at) => at % 2 === 0 && String(value).toLowerCase() === name);
}
