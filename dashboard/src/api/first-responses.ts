/** Responses to the requests that the page sent ahead of its scripts (dashboard/page-preloads.ts), by address. */
declare global {
  var firstResponses: Map<string, Promise<Response | null>> | undefined;
}

/** Sends a request, or returns the response to the same request of the page. Each is used once, and only a success. */
export async function fetchOnce(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const first = request.method === 'GET' ? globalThis.firstResponses?.get(request.url) : undefined;
  globalThis.firstResponses?.delete(request.url);
  const response = await first;
  return response?.ok ? response : fetch(request);
}

/** Drops unused responses when the user or the time changes. */
export function forgetFirstResponses(): void {
  globalThis.firstResponses = undefined;
}
