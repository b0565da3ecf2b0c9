/** The routes of this service that record something about a visitor. */
const RECORDS = /^\/v1\/projects\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\/(consents|visits)\/?$/i;

/** Whether a request would create a record, on any host of the service. A scan must not create any. */
export function isRecordRequest({ pathname }: URL, method: string | undefined): boolean {
  return method !== 'GET' && method !== 'HEAD' && RECORDS.test(pathname);
}

/** Whether an address is the loader of a project: on any host, because a CDN may serve it, and below the prefix of a path proxy. */
export function isLoaderOf(projectId: string, text: string): boolean {
  return URL.canParse(text) && new URL(text).pathname.endsWith(`/cdn/${projectId}/loader.js`);
}
