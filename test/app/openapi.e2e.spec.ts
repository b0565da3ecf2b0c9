import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestService, type TestService } from '../support/service.js';

const FILE = 'openapi.json';

describe('OpenAPI document', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  it('is the committed openapi.json; npm run openapi writes it anew', async () => {
    const current: unknown = await (await fetch(`${service.baseUrl}/docs-json`)).json();
    if (process.env.UPDATE_OPENAPI === '1') writeFileSync(FILE, `${JSON.stringify(current, null, 2)}\n`);
    expect(current).toEqual(JSON.parse(readFileSync(FILE, 'utf8')));
  });

  it('is shown to people at /docs', async () => {
    const response = await fetch(`${service.baseUrl}/docs`);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('swagger-ui');
  });
});
