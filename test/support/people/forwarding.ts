import { NameResolver } from '../../../src/platform/network/name-resolver.js';
import type { TestDatabase } from '../database/database.js';
import { startDnsServer } from '../fakes/dns-server.js';
import { forwardByHand, type ForwardingByHand } from '../programs/forwarding-by-hand.js';
import { answered, type Json, type JsonAnswer } from './json.js';
import {
  choose,
  createForwardingProject,
  type Receipt,
  saveForwarding,
  TOKEN,
} from '../programs/pipeline.js';
import { createTestProject, type TestProject } from './project.js';
import {
  type Behaviour,
  makeTestAuthority,
  type ReceivedRequest,
  type Receiver,
  startReceiver,
  type TestAuthority,
} from '../fakes/receiver.js';
import { startTestService, type TestService } from '../programs/service.js';
import { until } from '../until.js';

export const POLL_MS = 200;
const TIMEOUT_MS = 2_000;
/** One project gets a quarter of them, so its third record waits while two are in progress. */
const SLOTS = 8;
export const PROJECT_SLOTS = SLOTS / 4;
export const OTHER_TOKEN = 'another-token_'.padEnd(43, 'y');

/** The service, receivers for it, and the helpers of forwarding's specs. */
export interface Forwarding extends Receivers, Visitors, ForwardingByHand {
  service: TestService;
  /** Environment of the service in addition to the settings of every test. */
  environment: NodeJS.ProcessEnv;
  /** A project on Pro without settings. */
  proProject(): Promise<TestProject>;
  /** A project on Pro that forwards with `TOKEN`, to `sharedReceiver` unless the settings say otherwise. */
  forwardingProject(settings?: Json): Promise<TestProject>;
  /** A project on Pro that forwards to the endpoint, with `TOKEN` unless other settings are given. */
  forwardingTo(endpointUrl: string, settings?: Json): Promise<TestProject>;
  get(project: TestProject): Promise<JsonAnswer>;
  /**
   * Saves settings; the defaults are: on, in bearer mode, with `sharedReceiver` as the endpoint.
   */
  put(project: TestProject, settings: Json): Promise<JsonAnswer>;
  /** The ids of the records of a project that wait in the outbox, in their order. */
  waiting(projectId: string): Promise<string[]>;
  /** The ids of all records of a project that ever came into the outbox. */
  announcedIds(projectId: string): Promise<string[]>;
  close(): Promise<void>;
}

/**
 * Starts the service with its own name server, certificate authority and two receivers. With `worker` it forwards
 * records; without, only a test takes messages out of the outbox.
 */
export async function startForwarding({
  worker,
  environment: own = {},
  prepare,
}: {
  worker: boolean;
  environment?: NodeJS.ProcessEnv;
  /** Before the service's first connection. */
  prepare?: (database: TestDatabase) => Promise<void>;
}): Promise<Forwarding> {
  const testAuthority = await makeTestAuthority();
  const receivers = await startReceivers(testAuthority);
  const dns = await startDnsServer({
    'private.example.com': ['10.1.2.3'],
    'half-private.example.com': ['127.0.0.1', '192.168.1.1'],
    'consents.example.com': ['127.0.0.1'],
  });
  const environment = {
    RUN_WORKER: String(worker),
    OUTBOX_POLL_MS: String(POLL_MS),
    FORWARDING_CONNECT_TIMEOUT_MS: String(TIMEOUT_MS),
    FORWARDING_TIMEOUT_MS: String(TIMEOUT_MS),
    FORWARDING_SLOTS: String(SLOTS),
    FORWARDING_ALLOWED_PRIVATE_TARGETS: '127.0.0.0/8',
    FORWARDING_EXTRA_CA_FILE: testAuthority.caFile,
    ...own,
  };
  const service = await startTestService(environment, prepare);
  service.app.get(NameResolver, { strict: false }).useServers([dns.address]);
  await watchAnnouncements(service);
  // The tier is set in the database, because the route for it would append a message to the outbox.
  const proProject = (): Promise<TestProject> => createTestProject(service, { tier: 'pro' });
  const put: Forwarding['put'] = (project, settings) =>
    saveForwarding(project, { endpointUrl: receivers.sharedReceiver.url, ...settings });
  return {
    ...receivers,
    ...visitorsOf(service),
    ...forwardByHand(service),
    service,
    environment,
    proProject,
    forwardingProject: async (settings) => {
      const project = await proProject();
      const { status, body } = await put(project, { bearerToken: TOKEN, ...settings });
      if (status !== 200) throw new Error(`Saving the settings answered ${status}: ${JSON.stringify(body)}`);
      return project;
    },
    forwardingTo: (url, settings) => createForwardingProject(service, url, settings),
    get: (project) => answered(project.request('viewer', 'GET', '/forwarding')),
    put,
    waiting: (projectId) => subjectsIn('outbox_message', service, projectId),
    announcedIds: (projectId) => subjectsIn('announced', service, projectId),
    close: async () => {
      await service.close();
      await receivers.closeReceivers();
      await dns.close();
      testAuthority.remove();
    },
  };
}

interface Receivers {
  /** The endpoint of `forwardingProject`. */
  sharedReceiver: Receiver;
  /** Another origin for it to move to. */
  otherReceiver: Receiver;
  /** A receiver for one test; it returns 204 by default. */
  receive(behaviour?: Behaviour, options?: Parameters<typeof startReceiver>[1]): Promise<Receiver>;
  /** The same, with a certificate of another authority. */
  receiveAs(authority: TestAuthority['authority']): Promise<Receiver>;
  /** After each test: closes its receivers and resets the other two. */
  resetReceivers(): Promise<void>;
  closeReceivers(): Promise<void>;
}

async function startReceivers({ authority }: TestAuthority): Promise<Receivers> {
  const shared = [await startReceiver(authority), await startReceiver(authority)] as const;
  const own: Receiver[] = [];
  const keep = (receiver: Receiver): Receiver => {
    own.push(receiver);
    return receiver;
  };
  const resetReceivers = async (): Promise<void> => {
    await Promise.all(own.splice(0).map((receiver) => receiver.close()));
    for (const receiver of shared) {
      receiver.behave({ kind: 'answer', status: 204 });
      receiver.requests.length = 0;
    }
  };
  return {
    sharedReceiver: shared[0],
    otherReceiver: shared[1],
    receive: async (behaviour = { kind: 'answer', status: 204 }, options = {}) =>
      keep(await startReceiver(authority, { behaviour, ...options })),
    receiveAs: async (stranger) => keep(await startReceiver(stranger)),
    resetReceivers,
    closeReceivers: async () => {
      await resetReceivers();
      await Promise.all(shared.map((receiver) => receiver.close()));
    },
  };
}

interface Visitors {
  /** Sends a choice as a visitor's banner does. */
  choose(projectId: string, fields?: Json): Promise<Receipt>;
  /** Sends a choice, and waits until the receiver has it. */
  chooseAndArrive(project: TestProject, receiver: Receiver, fields?: Json): Promise<ReceivedRequest>;
  /** Fills the project's share of slots with records that hang, so that the next ones wait. */
  occupy(project: TestProject, receiver: Receiver): Promise<Receipt[]>;
}

function visitorsOf(service: TestService): Visitors {
  return {
    choose: (projectId, fields) => choose(service, projectId, fields),
    chooseAndArrive: async (project, receiver, fields) => {
      const { id } = await choose(service, project.id, fields);
      return arrived(receiver, id);
    },
    occupy: async (project, receiver) => {
      const receipts = [];
      for (let i = 0; i < PROJECT_SLOTS; i++) receipts.push(await choose(service, project.id));
      for (const { id } of receipts) await arrived(receiver, id);
      return receipts;
    },
  };
}

/** Waits until a receiver has a record. */
export const arrived = (receiver: Receiver, id: string): Promise<ReceivedRequest> =>
  until(`arrival of ${id}`, () =>
    receiver.requests.find(({ headers }) => headers['x-service-consent-id'] === id),
  );

/** The ids of the records that came to a receiver, in their order. */
export const idsAt = (receiver: Receiver): unknown[] =>
  receiver.requests.map(({ headers }) => headers['x-service-consent-id']);

export const bodyOf = (request: ReceivedRequest): Json => JSON.parse(request.body) as Json;

/** Asks as an editor to have one record sent again. */
export const resendOne = (project: TestProject, id: string): Promise<JsonAnswer> =>
  answered(project.request('editor', 'POST', `/forwarding/deliveries/${id}/resend`));

/** Records every message about a record, also messages that are dispatched at once. */
async function watchAnnouncements({ database }: TestService): Promise<void> {
  await database.query(
    'create table announced (id bigint generated always as identity, project_id uuid, subject_id uuid)',
  );
  await database.query(`
    create function note_announcement() returns trigger language plpgsql security definer as $$
    begin
      insert into announced (project_id, subject_id) values (new.project_id, new.subject_id);
      return null;
    end $$`);
  await database.query(
    `create trigger note after insert on outbox_message for each row when (new.topic = 'consent.recorded')
     execute function note_announcement()`,
  );
}

async function subjectsIn(
  table: 'announced' | 'outbox_message',
  { database }: TestService,
  projectId: string,
): Promise<string[]> {
  const rows = await database.query<{ subject_id: string }>(
    `select subject_id from ${table} where project_id = $1 order by id`,
    [projectId],
  );
  return rows.map((row) => row.subject_id);
}
