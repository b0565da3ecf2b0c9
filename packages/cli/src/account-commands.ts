import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, client, meMe, personalTokenRevokeCurrent } from '@service/consent-client/api';
import { connect, findProjects, serviceAddress } from './api.js';
import { forgetToken, savedToken, saveToken } from './credentials.js';
import { CliError, EXIT, type Exit, note, print, printJson, printTable, styled } from './terminal.js';

const CLIENT_ID = 'consent-cli';
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const REQUEST_MAX_MS = 30_000;
const SLOW_DOWN_SECONDS = 5;
const NAME_CHARACTERS_MAX = 100;
/** Responses to a token that is no longer valid. */
const ENDED = new Set([401, 404]);

interface Common {
  url?: string;
  json?: boolean;
}

interface DeviceCode {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** A person approves this machine in the dashboard, and its token is saved (RFC 8628). */
export async function login({ url, json }: Common): Promise<Exit> {
  const address = serviceAddress(url);
  const name = hostname().slice(0, NAME_CHARACTERS_MAX) || 'unnamed';
  const asked = await post(`${address}/v1/auth/device/code`, { client_id: CLIENT_ID, device_name: name });
  if (!asked.ok)
    throw new CliError(`The service refused the sign-in (${asked.status}). Check --url or CONSENT_URL.`);
  const code = (await asked.json()) as DeviceCode;
  note(`Open ${styled('bold', code.verification_uri_complete)}`);
  note(`and check that it shows the code ${styled('bold', code.user_code)} and the name ${name}.`);
  const token = await poll(address, code);
  saveToken(address, token);
  client.setConfig({ baseUrl: address, auth: () => token });
  const { data: me } = await meMe();
  const email = 'email' in me ? me.email : '';
  if (json) printJson({ url: address, email });
  else print(`Signed in to ${address} as ${email}, for 90 days.`);
  if (process.env['CONSENT_API_KEY'])
    note('CONSENT_API_KEY is set: commands use this key instead of the sign-in.');
  return EXIT.done;
}

/** Polls until the request is decided or has expired; a lost connection does not end it. */
async function poll(address: string, { device_code, expires_in, interval }: DeviceCode): Promise<string> {
  const endsAtMs = performance.now() + expires_in * 1_000;
  let seconds = interval;
  while (performance.now() < endsAtMs) {
    await sleep(seconds * 1_000);
    const body = { grant_type: GRANT, device_code, client_id: CLIENT_ID };
    const response = await post(`${address}/v1/auth/device/token`, body).catch(() => null);
    if (response === null || response.status >= 500) continue;
    const { access_token: token, error } = (await response.json()) as Record<string, string | undefined>;
    if (response.ok && token !== undefined) return token;
    switch (error) {
      case 'authorization_pending':
        break;
      case 'slow_down':
        seconds += SLOW_DOWN_SECONDS;
        break;
      case 'access_denied':
        throw new CliError('The request was denied in the dashboard.');
      case 'expired_token':
        throw new CliError(EXPIRED);
      default:
        throw new CliError(`The service refused the sign-in (${error ?? response.status}).`);
    }
  }
  throw new CliError(EXPIRED);
}

const EXPIRED = 'Nobody approved the code within ten minutes. Run consent login again.';

function post(url: string, body: Record<string, string>): Promise<Response> {
  const signal = AbortSignal.timeout(REQUEST_MAX_MS);
  return fetch(url, { method: 'POST', body: new URLSearchParams(body), signal });
}

/** Revokes the saved token and deletes it from this machine. */
export async function logout({ url, json }: Common): Promise<Exit> {
  const address = serviceAddress(url);
  const token = savedToken(address);
  if (token !== undefined) {
    client.setConfig({ baseUrl: address, auth: () => token });
    await personalTokenRevokeCurrent().catch((error: unknown) => {
      if (!(error instanceof ApiError) || !ENDED.has(error.status)) throw error;
    });
    forgetToken(address);
  }
  if (json) printJson({ url: address, signedOut: token !== undefined });
  else print(token === undefined ? `Not signed in to ${address}.` : `Signed out of ${address}.`);
  return EXIT.done;
}

/** Prints whom the credential belongs to, and its projects. */
export async function whoami({ url, json }: Common): Promise<Exit> {
  const address = connect(url);
  const [{ data: me }, projects] = await Promise.all([meMe(), findProjects([])]);
  if (json)
    printJson({
      url: address,
      ...me,
      projects: projects.map(({ id, name, role, tier }) => ({ id, name, role, tier })),
    });
  else {
    const until = 'expiresAt' in me ? `, signed in until ${me.expiresAt.slice(0, 10)}` : '';
    print(`${me.kind === 'api_key' ? `API key ${me.id}` : me.email} at ${address}${until}`);
    printTable([
      ['PROJECT', 'ID', 'ROLE', 'PLAN'],
      ...projects.map(({ id, name, role, tier }) => [name, id, role, tier]),
    ]);
  }
  return EXIT.done;
}
