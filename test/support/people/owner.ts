import type { ServiceProcess } from '../programs/processes.js';

export const CREDENTIALS = { email: 'owner@example.com', password: 'correct horse battery' };

/** Asks a process below `/v1`, as a browser; throws where it refuses. `cookie` is the session that it gives, if any. */
export async function callApi<T>(
  api: ServiceProcess,
  method: string,
  path: string,
  body: unknown,
  cookie = '',
): Promise<{ value: T; cookie: string }> {
  const response = await fetch(`${api.baseUrl}/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', origin: api.baseUrl, ...(cookie && { cookie }) },
    ...(body !== null && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  const cookies = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { value: (text === '' ? null : JSON.parse(text)) as T, cookie: cookies.join('; ') };
}

/** A visitor's choice, with an additional field. */
export function postConsent(api: ServiceProcess, projectId: string): Promise<{ value: { id: string } }> {
  return callApi(api, 'POST', `/projects/${projectId}/consents`, {
    analytics: true,
    marketing: false,
    preferences: true,
    action: 'custom',
    policy: { version: '2026-11', notes: ['ünï', null, 1.5] },
  });
}

/**
 * Gives `CREDENTIALS` an account by `ops account create`, whose output `createAccount` returns, with a project on Pro,
 * which `grantPro` grants, and has it forward to a receiver.
 */
export async function signUpWithReceiver(
  api: ServiceProcess,
  setUp: {
    endpointUrl: string;
    bearerToken: string;
    createAccount: (email: string) => Promise<string>;
    grantPro: (projectId: string) => Promise<void>;
  },
): Promise<{ id: string }> {
  const { endpointUrl, bearerToken } = setUp;
  const [, token] = /token=([\w-]+)/.exec(await setUp.createAccount(CREDENTIALS.email)) ?? [];
  await callApi(api, 'POST', '/auth/reset-password', { token, newPassword: CREDENTIALS.password });
  const { cookie } = await callApi(api, 'POST', '/auth/sign-in/email', CREDENTIALS);
  const { value: project } = await callApi<{ id: string }>(
    api,
    'POST',
    '/projects',
    { name: 'Shop', domains: [] },
    cookie,
  );
  await setUp.grantPro(project.id);
  const forwarding = { enabled: true, endpointUrl, authMode: 'bearer', bearerToken };
  await callApi(api, 'PUT', `/projects/${project.id}/forwarding`, forwarding, cookie);
  return project;
}
