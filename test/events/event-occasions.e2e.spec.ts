import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { globSync, readFileSync } from 'node:fs';
import { catalogue, EVENT_TYPE_NAMES } from '../../src/modules/events/domain/catalogue.js';
import { LicensingService } from '../../src/modules/licensing/licensing.service.js';
import { readJson } from '../support/people/event-endpoint.js';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { becomeMember, BEHIND_LOOPBACK_PROXY, signUp } from '../support/people/user.js';
import { choose } from '../support/programs/pipeline.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  service = await startTestService({ ...BEHIND_LOOPBACK_PROXY, RUN_WORKER: 'true', OUTBOX_POLL_MS: '100' });
  project = await createTestProject(service);
});

afterAll(async () => {
  await service.close();
});

/** The newest event of a type. */
const eventOf = (type: string): Promise<Json & { data: Json }> =>
  until(type, async () => {
    const { items } = await readJson<{ items: (Json & { data: Json })[] }>(project, `/events?type=${type}`);
    return items[0];
  });

const asOwner = async (method: string, path: string, body?: unknown): Promise<Json> => {
  const response = await project.request('owner', method, path, body);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return text === '' ? {} : (JSON.parse(text) as Json);
};

/** `data` of an event, without what every event has; its address must be that of a route that answers. */
const about = async (type: string): Promise<Json> => {
  const { projectId, url, ...data } = (await eventOf(type)).data;
  expect(projectId).toBe(project.id);
  const path = new URL(url as string).pathname.replace(`/v1/projects/${project.id}`, '');
  expect([type, (await project.request('owner', 'GET', path)).status]).toEqual([type, 200]);
  return data;
};

describe('the occasions of events', () => {
  it('members who join and leave', async () => {
    const user = await signUp(service);
    await becomeMember((body) => project.request('owner', 'POST', '/members', body), user, 'editor');
    expect(await about('member.joined')).toEqual({ id: user.id, role: 'editor' });
    await asOwner('DELETE', `/members/${user.id}`);
    expect(await about('member.left')).toEqual({ id: user.id });
  });

  it('API keys', async () => {
    const { id } = await asOwner('POST', '/api-keys', { name: 'A secret name', role: 'editor' });
    expect(await about('api_key.created')).toEqual({ id, role: 'editor' });
    await asOwner('DELETE', `/api-keys/${id as string}`);
    expect(await about('api_key.revoked')).toEqual({ id });
    expect(JSON.stringify(await readJson(project, '/events'))).not.toContain('A secret name');
  });

  it('a tier that changes, and the configuration that is published for it', async () => {
    await asOwner('POST', '/tier/simulate', { tier: 'pro' });
    expect(await about('tier.changed')).toEqual({ id: project.id, from: 'lite', to: 'pro' });
    expect(await about('configuration.published')).toEqual({ id: expect.any(String), tier: 'pro' });
    const count = async (): Promise<number> =>
      (await readJson<{ items: Json[] }>(project, '/events?type=tier.changed')).items.length;
    await service.database.orm.em
      .fork()
      .transactional((tx) =>
        service.app
          .get(LicensingService, { strict: false })
          .recompute(tx, project.id, { reason: 'sweep', at: new Date() }),
      );
    expect(await count()).toBe(1);
  });

  it('an erasure that is complete', async () => {
    await asOwner('PUT', '/privacy', { visitorReferenceField: 'customer', visitorReferenceHashed: true });
    await until('the field is indexed', async () => {
      await choose(service, project.id, { customer: 'c-1' });
      return true;
    });
    const { id } = await until('the erasure is accepted', async () => {
      const response = await project.request('owner', 'POST', '/erasures', {
        visitorReference: 'c-1',
        reason: 'asked',
      });
      return response.ok ? ((await response.json()) as Json) : undefined;
    });
    expect(await about('erasure.completed')).toEqual({ id, erased: expect.any(Number) });
  });
});

describe('the catalogue', () => {
  it('is the table of docs/events.md, with the members of each type', () => {
    const rows = [...readFileSync('docs/events.md', 'utf8').matchAll(/^\| `([a-z_.]+)`\s*\|(.*)\|$/gm)].map(
      ([, type = '', cells = '']) => [type, ...cells.split('|').map((cell) => cell.trim())],
    );
    const common = new Set(['projectId', 'id', 'url']);
    const expected = catalogue('').map(({ type, summary, schema }) => {
      const { data } = schema['properties'] as {
        data: { properties: Record<string, { description: string }> };
      };
      const further = Object.keys(data.properties).filter((name) => !common.has(name));
      const members = further.map((name) => `\`${name}\``).join(', ') || '–';
      return [type, summary, data.properties['id']?.description.replace('Id of ', ''), members];
    });
    expect(rows).toEqual(expected);
  });

  it('names every type in the dashboard, in both languages', () => {
    for (const language of ['en', 'de']) {
      const text = readFileSync(`messages/events.${language}.json`, 'utf8');
      const { typeNames } = (
        JSON.parse(text) as { events: { typeNames: Record<string, Record<string, string>> } }
      ).events;
      const named = Object.entries(typeNames).flatMap(([resource, events]) =>
        Object.keys(events).map((event) => `${resource}.${event}`),
      );
      expect(named.toSorted()).toEqual(EVENT_TYPE_NAMES.toSorted());
    }
  });

  it('has no type without an occasion in the code', () => {
    const sources = globSync('src/modules/**/*.ts')
      .filter((file) => !file.startsWith('src/modules/events/domain/'))
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const states = ['active', 'failing'].map((state) => `custom_domain.${state}`);
    const without = EVENT_TYPE_NAMES.filter((type) => !sources.includes(`'${type}'`));
    // One statement writes both, by the state.
    expect(without.filter((type) => !states.includes(type))).toEqual([]);
    // oxlint-disable-next-line no-template-curly-in-string -- it is the text of a template
    expect(sources).toContain('`custom_domain.${state}`');
  });
});
