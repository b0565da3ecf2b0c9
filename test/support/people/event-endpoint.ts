import { Webhook } from 'standardwebhooks';
import type { ReceivedRequest, Receiver } from '../fakes/receiver.js';
import { until } from '../until.js';
import type { Json } from './json.js';
import type { TestProject } from './project.js';

/** An event endpoint as its creation returns it. */
export interface TestEndpoint extends Json {
  id: string;
  secret: string;
}

/** Creates an event endpoint as an editor. */
export async function createEndpoint(
  project: TestProject,
  fields: { url: string; eventTypes?: string[] } & Json,
): Promise<TestEndpoint> {
  const body = { eventTypes: ['api_key.created'], ...fields };
  const response = await project.request('editor', 'POST', '/event-endpoints', body);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as TestEndpoint;
}

/** Makes an event of the type `api_key.created`; returns the key's id. */
export async function makeEvent(project: TestProject): Promise<string> {
  const response = await project.request('owner', 'POST', '/api-keys', { name: 'Event', role: 'viewer' });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** A JSON answer of the project's API, which must be good. */
export async function readJson<Answer = Json>(project: TestProject, path: string): Promise<Answer> {
  const response = await project.request('viewer', 'GET', path);
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}

/** `data` of a project's events of a type, newest first. */
export async function eventsOf(project: TestProject, type: string): Promise<Json[]> {
  const { items } = await readJson<{ items: { data: Json }[] }>(project, `/events?type=${type}`);
  return items.map(({ data }) => data);
}

/** The requests about a subject, once there are as many. */
export function arrived(receiver: Receiver, subjectId: string, count = 1): Promise<ReceivedRequest[]> {
  return until(`${count} requests about ${subjectId}`, () => {
    const found = receiver.requests.filter(({ body }) => body.includes(subjectId));
    return found.length >= count ? found : undefined;
  });
}

/** Whether the library of Standard Webhooks accepts the request. */
export function accepts(secret: string, { headers, body }: ReceivedRequest): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
