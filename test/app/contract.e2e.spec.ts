import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { checkAnswersOf } from '../support/rules/contract.js';
import { readOperations } from '../support/rules/openapi.js';

describe('the check of every answer against openapi.json', () => {
  let server: Server;
  let baseUrl: string;
  let stopChecking: () => void;
  let answer: { status: number; type: string; body: string };

  beforeAll(async () => {
    server = createServer((_request, response) => {
      response.writeHead(answer.status, answer.type === '' ? {} : { 'content-type': answer.type });
      response.end(answer.body);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    stopChecking = checkAnswersOf(baseUrl);
  });
  afterAll(() => {
    stopChecking();
    server.close();
  });

  const ask = (body: unknown, status = 200, type = 'application/json'): Promise<Response> => {
    answer = { status, type, body: JSON.stringify(body) };
    return fetch(`${baseUrl}/v1/projects/01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f/consents`);
  };
  const record = {
    id: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
    projectId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f',
    analytics: true,
    marketing: true,
    preferences: true,
    action: 'custom',
    hostname: null,
    configHash: null,
    language: null,
    surface: null,
    receivedAt: '2026-11-21T00:00:00.000Z',
    importId: null,
    originalId: null,
    givenAt: null,
    services: null,
    additionalFields: { anything: [1] },
  };
  const page = { items: [record], nextCursor: null, searchedTo: null };
  const problem = {
    type: 'https://consent.example.com/docs/errors#not_found',
    title: 'Not Found',
    status: 404,
    detail: 'None.',
    code: 'not_found',
  };

  it('lets pass what is described', async () => {
    expect((await ask(page)).status).toBe(200);
    expect((await ask(problem, 404, 'application/problem+json')).status).toBe(404);
    expect(await (await ask(problem, 500, 'application/problem+json')).json()).toEqual(problem);
  });

  it.each([
    ['a member too much', () => ask({ ...page, more: 1 })],
    ['a member too few', () => ask({ items: [] })],
    ['a member too much, further in', () => ask({ ...page, items: [{ ...record, x: 1 }] })],
    [
      'an instant that is none',
      () => ask({ ...page, items: [{ ...record, receivedAt: '2026-11-21 00:00:00+00' }] }),
    ],
    ['null where there is none', () => ask({ ...page, items: [{ ...record, action: null }] })],
    ['a status that is not named', () => ask(page, 202)],
    ['another type', () => ask(page, 200, 'text/html')],
    [
      'a refusal without its code',
      () => ask({ ...problem, code: undefined }, 404, 'application/problem+json'),
    ],
    ['a code that is not known', () => ask({ ...problem, code: 'x' }, 404, 'application/problem+json')],
    ['a refusal of the wrong type', () => ask(problem, 404)],
  ])('refuses %s', async (_what, asked) => {
    await expect(asked()).rejects.toThrow('openapi.json, consentList');
  });

  it('ends with the last service: `fetch` is what it was', async () => {
    const checking = globalThis.fetch;
    stopChecking();
    expect(globalThis.fetch).not.toBe(checking);
    expect((await ask(page, 202)).status).toBe(202);
  });
});

describe('openapi.json', () => {
  const operations = readOperations();

  it('names every parameter of every path, and gives each operation an id of its own', () => {
    for (const { path, parameters } of operations) {
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(named.toSorted()).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').toSorted(),
      );
    }
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/);
  });
});
