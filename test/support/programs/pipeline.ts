import { answered, type Json, type JsonAnswer } from '../people/json.js';
import type { TestService } from './service.js';
import { createTestProject, type TestProject } from '../people/project.js';
import { until } from '../until.js';

export const TOKEN = 'a-token-of-the-owner_'.padEnd(43, 'x');

/** A choice as a banner sends it. */
export const CHOICE = {
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
};

export interface Receipt {
  status: number;
  id: string;
  receivedAt: string;
  duplicate: boolean;
}

/** The delivery log's entry of one attempt. */
export interface Delivery {
  id: string;
  consentId: string;
  outcome: string;
  category: string | null;
  httpStatus: number | null;
  reason: string | null;
  host: string | null;
}

/** Sends a choice as a visitor's banner does: without credentials. */
export async function choose(
  service: { baseUrl: string },
  projectId: string,
  fields: Json = {},
): Promise<Receipt> {
  const response = await fetch(`${service.baseUrl}/v1/projects/${projectId}/consents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...CHOICE, ...fields }),
  });
  return { status: response.status, ...((await response.json()) as Omit<Receipt, 'status'>) };
}

/** Saves forwarding settings as an editor; gives back status and answer. */
export async function saveForwarding(project: TestProject, fields: Json): Promise<JsonAnswer> {
  return answered(
    project.request('editor', 'PUT', '/forwarding', { enabled: true, authMode: 'bearer', ...fields }),
  );
}

/** A project on Pro that forwards to `endpointUrl` with the token. */
export async function createForwardingProject(
  service: TestService,
  endpointUrl: string,
  fields: Json = { bearerToken: TOKEN },
): Promise<TestProject> {
  const project = await createTestProject(service);
  await simulateTier(project, 'pro');
  const { status, body } = await saveForwarding(project, { endpointUrl, ...fields });
  if (status !== 200) throw new Error(`Saving the settings answered ${status}: ${JSON.stringify(body)}`);
  return project;
}

/** Puts the project on a tier, by the route for it (spec §4.5). */
export async function simulateTier(project: TestProject, tier: string): Promise<void> {
  const response = await project.request('editor', 'POST', '/tier/simulate', { tier });
  if (response.status !== 200) throw new Error(`tier/simulate answered ${response.status}`);
}

/** A viewer's response at a path below the project. */
export async function read<T = Json>(project: TestProject, path: string): Promise<T> {
  // Lists give up after some seconds on a busy machine.
  const response = await until(`${path} does not answer 503`, async () => {
    const answer = await project.request('viewer', 'GET', path);
    return answer.status === 503 ? null : answer;
  });
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as T;
}

/** The delivery log, newest first. */
export async function deliveriesOf(project: TestProject): Promise<Delivery[]> {
  return (await read<{ items: Delivery[] }>(project, '/forwarding/deliveries?limit=200')).items;
}

/** Waits until the log has the given number of attempts of one record, and returns the latest one. */
export async function settled(project: TestProject, consentId: string, attempts = 1): Promise<Delivery> {
  return until(`${attempts} attempts of ${consentId}`, async () => {
    const own = (await deliveriesOf(project)).filter((delivery) => delivery.consentId === consentId);
    return own.length >= attempts ? own[0] : null;
  });
}
