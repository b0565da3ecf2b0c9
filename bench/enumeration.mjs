// Whether the time of a response reveals if an address has an account: each route that takes an address, for addresses
// with and without one, in turns.
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { startDatabase } from './support/database.mjs';
import { row } from './support/report.mjs';
import { startService } from './support/service.mjs';
import { median } from './support/statistics.mjs';
import { scaledCount, scaledRounds } from './support/scale.mjs';

const ROUNDS = scaledRounds(5);
/** Requests of each kind in a round; each address is asked once, so that no limit is met. */
const PAIRS_PER_ROUND = scaledCount(20, 3);
/** A worker's tasks after a response, such as writing a mail, are done before the next request. */
const REST_MS = 80;
const PASSWORD = 'correct horse battery';

/**
 * The caller: anonymous, or a signed-in user who owns a project of this round.
 * @typedef {{ cookie: string, projectId: string }} Owner
 * @type {Record<string, { path: (owner: Owner) => string, status: number, body: (email: string) => object, signedIn?: true }>}
 */
const ROUTES = {
  'sign-in, wrong password': {
    path: () => 'auth/sign-in/email',
    status: 401,
    body: (email) => ({ email, password: 'a wrong password' }),
  },
  'sign-up': {
    path: () => 'auth/sign-up/email',
    status: 202,
    body: (email) => ({ email, password: PASSWORD }),
  },
  'forgotten password': { path: () => 'auth/forgot-password', status: 202, body: (email) => ({ email }) },
  'change of address': {
    path: () => 'auth/change-email',
    status: 202,
    body: (newEmail) => ({ newEmail, password: PASSWORD }),
    signedIn: true,
  },
  invitation: {
    path: ({ projectId }) => `projects/${projectId}/invitations`,
    status: 201,
    body: (email) => ({ email, role: 'viewer' }),
    signedIn: true,
  },
};

/** Three of the five routes hash a password, on two cores that others may be using. */
export const deadlineMs = 1_200_000;
export const title = 'Enumeration: the time of answers to addresses with an account, against those without';

/**
 * @param {import('./support/scope.mjs').Scope} scope
 * @returns {Promise<Omit<import('./support/report.mjs').Report, 'name' | 'title'>>}
 */
export async function run(scope) {
  const database = await startDatabase(scope);
  const environment = { TRUSTED_PROXIES: '127.0.0.1', RUN_WORKER: 'true', SIGN_UP: 'open' };
  const { baseUrl } = await startService(scope, database, { environment });
  let network = 0;
  const post = async (/** @type {string} */ path, /** @type {object} */ body, cookie = '') => {
    network += 1;
    const startedMs = performance.now();
    const response = await fetch(`${baseUrl}/v1/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': `198.18.${network >> 8}.${network & 255}`,
        ...(cookie !== '' && { cookie }),
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      text,
      headers: response.headers,
      tookMs: performance.now() - startedMs,
    };
  };
  /** A signed-in user who owns an empty project. @returns {Promise<Owner>} */
  const makeOwner = async () => {
    const [email] = await database.makeUsers(1, PASSWORD);
    const signIn = await post('auth/sign-in/email', { email, password: PASSWORD });
    const cookie = signIn.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const project = await post('projects', { name: 'Enumeration' }, cookie);
    return { cookie, projectId: JSON.parse(project.text).id };
  };
  const ask = async (/** @type {string} */ name, /** @type {string} */ email, /** @type {Owner} */ owner) => {
    const route = ROUTES[name];
    if (!route) throw new Error(`there is no route ${name}`);
    const { status, text, tookMs } = await post(
      route.path(owner),
      route.body(email),
      route.signedIn ? owner.cookie : '',
    );
    if (status !== route.status) throw new Error(`${name} answered ${status}: ${text}`);
    await sleep(REST_MS);
    return { tookMs, body: withoutOwn(text, email) };
  };

  const rows = [];
  /** @type {Record<string, { known: number[], unknown: number[] }[]>} */
  const raw = {};
  for (const name of Object.keys(ROUTES)) {
    const rounds = [];
    const bodies = new Set();
    for (let round = 0; round < ROUNDS; round++) {
      const owner = await makeOwner();
      // Not counted: the first requests of a process, and of a project, are slow.
      await ask(name, `${v7()}@example.com`, owner);
      const emails = await database.makeUsers(PAIRS_PER_ROUND, PASSWORD);
      /** @type {{ known: number[], unknown: number[] }} */
      const took = { known: [], unknown: [] };
      for (const [index, email] of emails.entries()) {
        const turns = /** @type {const} */ ([
          ['known', email],
          ['unknown', `${v7()}@example.com`],
        ]);
        for (const [kind, address] of index % 2 === 0 ? turns : turns.toReversed()) {
          const { tookMs, body } = await ask(name, address, owner);
          took[kind].push(tookMs);
          bodies.add(body);
        }
      }
      rounds.push(took);
    }
    raw[name] = rounds;
    rows.push(
      row({
        what: `${name}: median`,
        ours: rounds.map(({ known }) => median(known)),
        baseline: rounds.map(({ unknown }) => median(unknown)),
        target: { ratioAtLeast: 0.95, ratioAtMost: 1.05 },
        digits: 2,
        unit: ' ms',
      }),
      row({ what: `${name}: different bodies`, ours: [bodies.size], target: { atMost: 1 } }),
    );
  }
  return { database: await database.facts(), rows, raw };
}

/** A response without its individual parts: address, ids and times. */
function withoutOwn(/** @type {string} */ text, /** @type {string} */ email) {
  return text
    .replaceAll(email, 'email')
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, 'id')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'at');
}
