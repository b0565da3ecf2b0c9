import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, client, projectList, type ProjectResponse } from '@service/consent-client/api';
import { savedToken, savedUrl } from './credentials.js';
import { CliError, note } from './terminal.js';

const REQUEST_MAX_MS = 120_000;
const REPEATS_MAX = 5;
const PAUSE_MAX_SECONDS = 60;
const DEFAULT_PAUSE_SECONDS = 1;
const PAGE = 100;
/** Responses of a service that did not take the request, and may take it later. */
const LATER = new Set([429, 503]);

/** The address of the service: as given, of the environment, or of the last sign-in. */
export function serviceAddress(url: string | undefined): string {
  const address = url ?? (process.env['CONSENT_URL'] || savedUrl());
  if (address === undefined || !URL.canParse(address))
    throw new CliError('Name the service with --url or CONSENT_URL, such as https://consent.example.com.');
  return address.replace(/\/+$/, '');
}

/** Sets the address and the credential for all requests: an API key, or else the token of `consent login`. */
export function connect(url: string | undefined): string {
  const baseUrl = serviceAddress(url);
  const key = process.env['CONSENT_API_KEY'] || savedToken(baseUrl);
  if (!key)
    throw new CliError(
      'Run consent login, or set CONSENT_API_KEY to a key of the project (dashboard, Settings, API keys).',
    );
  client.setConfig({ baseUrl, auth: () => key, fetch: patientFetch });
  return baseUrl;
}

/** Waits and repeats a request as long as the service says `Retry-After`. */
async function patientFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  for (let repeats = 0; ; repeats++) {
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(REQUEST_MAX_MS)]);
    const response = await fetch(request.clone(), { signal });
    const after = response.headers.get('retry-after');
    if (!LATER.has(response.status) || after === null || repeats === REPEATS_MAX) return response;
    await response.body?.cancel();
    const seconds = Math.min(Number(after) || DEFAULT_PAUSE_SECONDS, PAUSE_MAX_SECONDS);
    note(`The service is busy; trying again in ${seconds} s.`);
    await sleep(seconds * 1_000, undefined, { signal: request.signal });
  }
}

/** What went wrong, in sentences, with the refused fields and the request's id. */
export function explain(error: unknown): string {
  if (error instanceof ApiError) {
    const fields = (error.problem?.errors ?? []).map(({ field, message }) => `  ${field}: ${message}`);
    const id = error.requestId === null ? '' : ` (request ${error.requestId})`;
    return [`${error.message}${id}`, ...fields].join('\n');
  }
  if (error instanceof CliError) return error.message;
  const { message, cause } = error as Error & { cause?: { code?: string } };
  if (message === 'fetch failed')
    return `The service cannot be reached (${cause?.code ?? 'no connection'}). Check --url or CONSENT_URL.`;
  return message;
}

/** The project's data for programs: what `--json` prints of an error. */
export function describe(error: unknown): { code: string | null; message: string } {
  return { code: error instanceof ApiError ? error.code : null, message: explain(error) };
}

/** The projects of the credential, all or those named by id, name or domain. */
export async function findProjects(wanted: readonly string[]): Promise<ProjectResponse[]> {
  const all: ProjectResponse[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const { data } = await projectList({ query: { limit: PAGE, ...(cursor && { cursor }) } });
    all.push(...data.items);
    cursor = data.nextCursor;
  }
  if (wanted.length === 0) return all;
  return wanted.map((name) => {
    const found = all.filter((project) => isNamed(project, name));
    if (found.length === 1 && found[0]) return found[0];
    throw new CliError(
      found.length === 0
        ? `No project "${name}" that you may read.`
        : `"${name}" names ${found.length} projects; use the id: ${found.map(({ id }) => id).join(', ')}.`,
    );
  });
}

/** The one project of a command: named, or the only one of the credential. */
export async function findProject(name: string | undefined): Promise<ProjectResponse> {
  const found = await findProjects(name === undefined ? [] : [name]);
  if (found.length === 1 && found[0]) return found[0];
  throw new CliError(
    found.length === 0 ? 'You have no project.' : 'You have several projects. Name one with --project.',
  );
}

function isNamed({ id, name, domains }: ProjectResponse, wanted: string): boolean {
  return id === wanted.toLowerCase() || name === wanted || domains.includes(wanted);
}
