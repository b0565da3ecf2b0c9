import { expect, it } from '@jest/globals';
import { startTestService } from './support/service.js';

it('answers an unknown route with a problem document', async () => {
  const service = await startTestService();
  const response = await fetch(`${service.baseUrl}/v1/nowhere?x=1`);
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(await response.json()).toMatchObject({ status: 404, code: 'not_found', instance: '/v1/nowhere' });
  await service.close();
});
