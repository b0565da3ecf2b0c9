import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Calls `edit` once all headers of a response are set and before any is sent, whichever code sends them. For rules of a
 * host that hold for every route.
 */
export function editFinalHeaders(response: ServerResponse, edit: (response: ServerResponse) => void): void {
  const writeHead = response.writeHead.bind(response) as (status: number, reason?: string) => ServerResponse;
  response.writeHead = (status: number, reason?: string | Headers, headers?: Headers) => {
    const given = (typeof reason === 'string' ? headers : reason) ?? [];
    for (const [name, value] of Array.isArray(given) ? pairs(given) : Object.entries(given))
      if (value !== undefined) response.setHeader(name, value);
    edit(response);
    return typeof reason === 'string' ? writeHead(status, reason) : writeHead(status);
  };
}

function* pairs(flat: OutgoingHttpHeader[]): Generator<[string, OutgoingHttpHeader]> {
  for (let at = 0; at + 1 < flat.length; at += 2) yield [String(flat[at]), flat[at + 1] ?? ''];
}
