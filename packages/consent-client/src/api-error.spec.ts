import { expect, it } from '@jest/globals';
import { ApiError, toError } from './api-error.js';

const response = (status: number): Response =>
  new Response(null, { status, headers: { 'X-Request-Id': 'request-1' } });

it('a problem document becomes an error with its code, the status and the id of the request', () => {
  const problem = { status: 404, code: 'project_not_found', detail: 'Project not found.' };
  const error = toError(problem, response(404)) as ApiError;
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: 'ApiError',
    message: 'Project not found.',
    status: 404,
    code: 'project_not_found',
    requestId: 'request-1',
    problem,
  });
  expect(error.stack).toContain('api-error.spec.ts');
});

it.each(['<h1>Bad gateway</h1>', null, {}])('the response of a proxy, %j, has no code', (body) => {
  expect(toError(body, new Response(null, { status: 502 }))).toMatchObject({
    message: 'The response has status 502.',
    status: 502,
    code: null,
    requestId: null,
    problem: null,
  });
});

it('leaves failures of the network, and of reading a success, as they are', () => {
  const thrown = new TypeError('fetch failed');
  expect(toError(thrown, undefined)).toBe(thrown);
  expect(toError(thrown, response(200))).toBe(thrown);
});
