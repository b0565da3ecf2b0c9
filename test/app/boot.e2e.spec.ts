import { expect, it } from '@jest/globals';
import { ApiKeyService } from '../../src/modules/access/api-key.service.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService } from '../support/programs/service.js';

it('answers an unknown route with a problem document, and a browser with a page', async () => {
  const service = await startTestService();
  const response = await fetch(`${service.baseUrl}/v1/nowhere?x=1`);
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(await response.json()).toMatchObject({ status: 404, code: 'not_found', instance: '/v1/nowhere' });

  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const page = await fetch(`${service.baseUrl}/nope`, { headers });
  expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(await page.text()).toContain('<div id="root">');
  const posted = await fetch(`${service.baseUrl}/nope`, { method: 'POST', headers });
  expect([posted.status, posted.headers.get('content-type')]).toEqual([
    404,
    'application/problem+json; charset=utf-8',
  ]);

  const project = await createTestProject(service);
  const found = await service.app.get(ApiKeyService, { strict: false }).find(project.keys.editor);
  expect(found).toMatchObject({ projectId: project.id, role: 'editor' });
  await service.close();
});
