// A helper: all attacks at once, until stopped. Each attack is one that brought an earlier version
// down or held other tenants up; none asks for more than a stranger, or one tenant with a viewer's key, may send.
import { request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { v4, v7 } from 'uuid';
import { answerCalls } from './helper.mjs';

const ATTACK_TIMEOUT_MS = 10_000;
/** The attackers' addresses as a trusted proxy reports them: one network each. */
const NETWORKS = {
  flood: '203.0.113.7',
  unknown: '203.0.113.8',
  guess: '203.0.113.9',
  relay: '203.0.113.10',
};
const CHOICE = { analytics: true, marketing: false, preferences: true, action: 'custom' };

/** @typedef {{ baseUrl: string, projectId: string, key: string, email: string, relayTarget: string }} Target */

let attack = new AbortController();
/** @type {Promise<unknown>[]} */
let attackers = [];
/** @type {Record<string, Record<string, number>>} */
let answers = {};

/** @param {string} name @param {string} answer */
function count(name, answer) {
  const counts = (answers[name] ??= {});
  counts[answer] = (counts[answer] ?? 0) + 1;
}

/**
 * One request on a new connection; resolves with the status, or with the error.
 * @param {string} url
 * @param {{ method?: string, headers?: Record<string, string>, body?: string, hangUpAfterMs?: number }} [options]
 */
function ask(url, { method = 'GET', headers = {}, body, hangUpAfterMs } = {}) {
  return new Promise((resolve) => {
    const sent = request(url, { method, headers, timeout: ATTACK_TIMEOUT_MS }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
      response.once('error', () => resolve('cut'));
    });
    sent.once('timeout', () => sent.destroy());
    sent.once('error', () => resolve(hangUpAfterMs === undefined ? 'refused' : 'hung up'));
    if (hangUpAfterMs !== undefined) setTimeout(() => sent.destroy(), hangUpAfterMs);
    sent.end(body);
  });
}

/**
 * @param {string} name
 * @param {number} callers
 * @param {() => Promise<unknown>} once
 */
function repeat(name, callers, once) {
  for (let caller = 0; caller < callers; caller++) {
    attackers.push(
      (async () => {
        while (!attack.signal.aborted) {
          count(name, String(await once()));
          // A refused attack repeats immediately; one turn of the event loop lets the others run.
          await sleep(1);
        }
      })(),
    );
  }
}

/** @param {string} id some of the ways to write the same id */
const spelled = (id) => [...id].map((c) => (Math.random() < 0.5 ? c.toUpperCase() : c)).join('');

answerCalls({
  /** @param {Target} target */
  begin: ({ baseUrl, projectId, key, email, relayTarget }) => {
    attack = new AbortController();
    attackers = [];
    answers = {};
    const authorization = `Bearer ${key}`;
    const json = { 'content-type': 'application/json' };
    const own = `${baseUrl}/v1/projects/${projectId}`;
    const post = (/** @type {string} */ id, /** @type {object} */ fields, /** @type {string} */ from) =>
      ask(`${baseUrl}/v1/projects/${id}/consents`, {
        method: 'POST',
        headers: { ...json, 'x-forwarded-for': from },
        body: JSON.stringify({ ...CHOICE, ...fields }),
      });
    // A year of analytics over as many hostnames as visitors made up.
    repeat('analytics', 5, () =>
      ask(`${own}/analytics/consents?from=2026-01-01T00:00:00Z&interval=day`, { headers: { authorization } }),
    );
    repeat('one project, many spellings', 10, () => post(spelled(projectId), {}, NETWORKS.flood));
    repeat('projects that do not exist', 10, () => post(v4(), {}, NETWORKS.unknown));
    repeat('lists that match nothing, hung up', 100, async () => {
      const end = await ask(`${own}/consents?hostname=nowhere.example&action=none&limit=200`, {
        headers: { authorization },
        hangUpAfterMs: 100,
      });
      await sleep(200);
      return end;
    });
    repeat('wrong passwords', 2, async () => {
      const end = await ask(`${baseUrl}/v1/auth/sign-in/email`, {
        method: 'POST',
        headers: { ...json, 'x-forwarded-for': NETWORKS.guess },
        body: JSON.stringify({ email, password: v7() }),
      });
      await sleep(100);
      return end;
    });
    repeat('custom_endpoint', 5, () => post(projectId, { custom_endpoint: relayTarget }, NETWORKS.relay));
    // Eight who ask for an export and never read it.
    for (let reader = 0; reader < 8; reader++) {
      const { hostname, port } = new URL(baseUrl);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {});
      socket.write(
        `GET /v1/projects/${projectId}/consents/export?format=csv HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: ${authorization}\r\n\r\n`,
      );
      socket.pause();
      count('exports that are not read', 'opened');
      attackers.push(
        (async () => {
          while (!attack.signal.aborted) await sleep(50);
          socket.destroy();
        })(),
      );
    }
  },
  /** Ends all attacks; returns what they were answered, by attack. */
  end: async () => {
    attack.abort();
    await Promise.all(attackers);
    return answers;
  },
});
