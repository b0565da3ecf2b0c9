import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestDatabase, type TestDatabase } from '../support/database/database.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { tablesWith } from '../support/database/tables-with.js';

/** Represents a session cookie of a customer's shop, or a password for it. */
const CANARY = `canary-${randomBytes(16).toString('hex')}`;

let database: TestDatabase;
let service: LoneService;
const projectId = newId();

beforeAll(async () => {
  database = await createTestDatabase();
  await database.query(`insert into project (id, name) values ($1, 'A shop')`, [projectId]);
  service = await startLoneService({
    NODE_ENV: 'development',
    LOG_LEVEL: 'trace',
    DATABASE_URL: database.url,
    SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    AUTH_SECRET: randomBytes(32).toString('base64url'),
  });
});
afterAll(async () => {
  await service.stop();
  await database.close();
});

const headers = {
  cookie: `shop_session=${CANARY}; other=${CANARY}`,
  authorization: `Basic ${CANARY}`,
  'proxy-authorization': `Basic ${CANARY}`,
  'x-service-proxy-secret': CANARY,
};

it('keeps no cookie or credential of a customer’s site in a row, a log line or a response', async () => {
  const choice = { analytics: true, marketing: false, preferences: false, action: 'custom' };
  const requests: [method: string, path: string, body?: object][] = [
    ['GET', `/cdn/${projectId}/loader.js`],
    ['GET', `/cdn/${projectId}/config.json`],
    ['GET', `/cdn/${projectId}/declaration.html`],
    ['GET', `/cdn/${projectId}/banner-0123456789abcdef.js`],
    ['POST', `/v1/projects/${projectId}/consents`, choice],
    ['POST', `/v1/projects/${projectId}/consents`, { ...choice, analytics: 'yes' }],
    ['POST', `/v1/projects/${projectId}/visits`, { region: 'DE' }],
    ['POST', '/v1/visitor/records', { projectId, consentId: newId(), visitorKey: 'a'.repeat(76) }],
    ['POST', '/v1/auth/sign-in/email', { email: 'a@example.com', password: 'wrong' }],
    ['GET', `/v1/projects/${projectId}`],
    ['GET', '/'],
  ];
  const statuses: number[] = [];
  for (const [method, path, body] of requests) {
    const response = await fetch(`${service.baseUrl}/first-party/${projectId}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    statuses.push(response.status);
    expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain(CANARY);
  }
  expect(statuses).toEqual([200, 200, 200, 404, 201, 422, 403, 404, 404, 404, 404]);

  expect(await tablesWith(database, CANARY)).toEqual([]);
  expect(service.output()).toContain(`/cdn/${projectId}/banner-0123456789abcdef.js`);
  expect(service.output()).not.toContain(CANARY);
});
