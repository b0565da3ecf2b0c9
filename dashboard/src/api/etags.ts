/** By path, as the service last said it. */
const tags = new Map<string, string>();

/** Keeps the tag of what was read or saved, for a form that changes it (`If-Match`). */
export function rememberEtag(response: Response): Response {
  const tag = response.headers.get('etag');
  if (tag !== null) tags.set(new URL(response.url).pathname, tag);
  return response;
}

/** The tag of what was last read or saved at a path below `/v1/projects`: what a form that begins with it is based on. */
export function etagFor(path: string): string | undefined {
  return tags.get(`/v1/projects/${path}`);
}

/** Makes the API refuse the change where another person has changed the resource since. */
export function ifMatch(tag: string | undefined): { 'If-Match'?: string } {
  return tag === undefined ? {} : { 'If-Match': tag };
}
