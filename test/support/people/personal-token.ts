import { hashOfKey } from '../../../src/modules/access/domain/api-key.js';
import { generatePersonalToken, TOKEN_LIFE_MS } from '../../../src/modules/access/domain/personal-token.js';
import { newId } from '../../../src/platform/identity/ids.js';
import type { TestService } from '../programs/service.js';
import type { Json } from './json.js';
import { freshAddress, postAuth, type TestUser } from './user.js';

export interface DeviceCodes {
  deviceCode: string;
  userCode: string;
}

/** Writes a personal token of a user straight into the database. */
export async function insertTestToken(service: TestService, userId: string): Promise<string> {
  const token = generatePersonalToken();
  await service.database.query(
    `insert into personal_token (id, user_id, name, token_hash, expires_at) values ($1, $2, 'laptop', $3, $4)`,
    [newId(), userId, hashOfKey(token), new Date(Date.now() + TOKEN_LIFE_MS)],
  );
  return token;
}

export async function requestCodes(service: TestService, name = 'laptop'): Promise<DeviceCodes> {
  const response = await postAuth(service, 'device/code', { client_id: 'consent-cli', device_name: name });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const { device_code: deviceCode, user_code: userCode } = (await response.json()) as Record<string, string>;
  return { deviceCode: deviceCode ?? '', userCode: userCode ?? '' };
}

/** Polls as a client of RFC 8628. */
export async function pollDevice(service: TestService, deviceCode: string): Promise<Json> {
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceCode,
    client_id: 'consent-cli',
  });
  const headers = { 'x-forwarded-for': freshAddress() };
  const response = await fetch(`${service.baseUrl}/v1/auth/device/token`, { method: 'POST', body, headers });
  return { status: response.status, ...((await response.json()) as Json) };
}

export const approveDevice = (user: TestUser, userCode: string, body: Json = {}): Promise<Response> =>
  user.request('POST', '/v1/auth/device/approve', { userCode, ...body });
