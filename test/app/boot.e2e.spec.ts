import { expect, it } from '@jest/globals';
import { ApiKeyService } from '../../src/access/api-key.service.js';
import { createTestProject } from '../support/project.js';
import { startTestService } from '../support/service.js';

it('answers an unknown route with a problem document', async () => {
  const service = await startTestService();
  const response = await fetch(`${service.baseUrl}/v1/nowhere?x=1`);
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  expect(await response.json()).toMatchObject({ status: 404, code: 'not_found', instance: '/v1/nowhere' });

  const project = await createTestProject(service);
  const found = await service.app.get(ApiKeyService, { strict: false }).find(project.keys.editor);
  expect(found).toMatchObject({ projectId: project.id, role: 'editor' });
  await service.close();
});
