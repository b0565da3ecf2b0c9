/** By path, as the service last said it. */
const tags = new Map<string, string>();

/** Stores the tag of a read or saved resource, for a form that changes it (`If-Match`). */
export function rememberEtag(response: Response): Response {
  const tag = response.headers.get('etag');
  if (tag !== null) tags.set(new URL(response.url).pathname, tag);
  return response;
}

/** The last tag of a path below `/v1/projects`: the version that a form is based on. */
export function etagFor(path: string): string | undefined {
  return tags.get(`/v1/projects/${path}`);
}

/** Makes the API refuse the change where another person has changed the resource since. */
export function ifMatch(tag: string | undefined): { 'If-Match'?: string } {
  return tag === undefined ? {} : { 'If-Match': tag };
}
