import { createHmac, randomUUID } from 'node:crypto';
import { newId } from '../../src/platform/identity/ids.js';
import type { Json } from '../support/people/json.js';
import { fillIn } from '../support/rules/openapi.js';
import type { RawRequest } from '../support/fakes/raw-request.js';
import { freshAddress, insertAccount } from '../support/people/user.js';
import type { Actor, FuzzRequest } from './requests.js';
import { SECRET_MARK, VISITOR } from './values.js';

/** What all projects of a run share. */
export interface Surroundings {
  baseUrl: string;
  /** As a person with psql would. */
  query: (sql: string, parameters: unknown[]) => Promise<unknown>;
  endpointUrl: string;
  webhookSecret: string;
  /** The key of another project's owner, a key that was revoked, and a session that has ended by time. */
  strangerKey: string;
  revokedKey: string;
  expiredCookie: string;
}

/** A project with an object for every route, and its possible callers. */
export class World {
  private constructor(
    private readonly around: Surroundings,
    private readonly credentials: Record<Actor, Record<string, string>>,
    private readonly values: Record<string, string>,
    /** Their own values where a good request would end what the others need. */
    private readonly victims: { projectId: string; cookie: string },
  ) {}

  /** The session cookies of its people. */
  get cookies(): string[] {
    return [...Object.values(this.credentials), this.victims].flatMap(({ cookie }) => cookie ?? []);
  }

  /**
   * Created through the API, except its people. `told` is called with every response, to count the
   * created objects.
   */
  static async make(around: Surroundings): Promise<World> {
    const { baseUrl, endpointUrl } = around;
    const [owner, other, passing] = await Promise.all([signUp(around), signUp(around), signUp(around)]);
    const as = (headers: Record<string, string>) => (method: string, path: string, body?: Json) =>
      call(baseUrl, { method, path, headers, body });
    const ask = as({ cookie: owner.cookie });
    const projectId = String((await ask('POST', '/v1/projects', { name: 'Fuzzed' }))['id']);
    const doomedId = String((await ask('POST', '/v1/projects', { name: 'Doomed' }))['id']);
    const at = `/v1/projects/${projectId}`;
    const key = (role: string): Promise<Json> => ask('POST', `${at}/api-keys`, { name: role, role });
    const [ownerKey, editor, viewer, spare] = await Promise.all(
      ['owner', 'editor', 'viewer', 'viewer'].map(key),
    );
    const { id: invitationId } = await ask('POST', `${at}/members`, { email: other.email, role: 'viewer' });
    await as({ cookie: other.cookie })('POST', `/v1/me/invitations/${String(invitationId)}/accept`);
    await ask('POST', `${at}/tier/simulate`, { tier: 'business' });
    await ask('PUT', `${at}/forwarding`, {
      enabled: true,
      endpointUrl,
      authMode: 'bearer',
      bearerToken: `${SECRET_MARK}-${randomUUID()}`.padEnd(43, '-'),
    });
    const consent = await ask('POST', `${at}/consents`, {
      analytics: true,
      marketing: false,
      preferences: true,
      action: 'custom',
      visitorKeyHash: VISITOR.visitorKeyHash,
    });
    const { lastPublication } = await ask('GET', `${at}/configuration`);
    // The one that the simulated tier has led to, where it is there by now.
    const published = (lastPublication ?? {}) as Json;
    const bearer = (token: unknown): Record<string, string> => ({ authorization: `Bearer ${String(token)}` });
    return new World(
      around,
      {
        owner: bearer(ownerKey?.['key']),
        editor: bearer(editor?.['key']),
        viewer: bearer(viewer?.['key']),
        ownerSession: { cookie: owner.cookie },
        stranger: bearer(around.strangerKey),
        none: {},
        revokedKey: bearer(around.revokedKey),
        expiredSession: { cookie: around.expiredCookie },
        nonsense: { authorization: `Bearer ck_${'n'.repeat(43)}` },
      },
      {
        projectId,
        userId: other.id,
        apiKeyId: String(spare?.['id']),
        consentId: String(consent['id'] ?? newId()),
        version: '1',
        configHash: String(published['configHash'] ?? 'a'.repeat(64)),
      },
      { projectId: doomedId, cookie: passing.cookie },
    );
  }

  /** The request to this project. */
  resolve(request: FuzzRequest): RawRequest {
    const { operation, method, path, query, headers, signed } = request;
    // Events name the project inside.
    const body =
      typeof request.body === 'string'
        ? fillIn(request.body, { projectId: this.values['projectId'] ?? '' })
        : request.body;
    const endsProject = method === 'DELETE' && path === '/v1/projects/{projectId}';
    const values = endsProject ? { ...this.values, projectId: this.victims.projectId } : this.values;
    const endsSession =
      /^\/v1\/(auth|me\/sessions)(\/|$)/.test(path) && 'cookie' in this.credentials[request.actor];
    const credentials = endsSession ? { cookie: this.victims.cookie } : this.credentials[request.actor];
    const sent = fillIn(path, values) + (query === '' ? '' : `?${query}`);
    return {
      method,
      // Node's client does not send characters that are invalid in a URL.
      path: sent.replaceAll(/[^\x21-\xff]/g, (character) => encodeURIComponent(character)),
      body,
      headers: {
        'x-forwarded-for': freshAddress(),
        ...credentials,
        ...headers,
        ...(signed && operation.path.includes('/webhooks/') && signatureOf(body, this.around.webhookSecret)),
      },
    };
  }
}

/** What Stripe would write above these bytes, now. */
function signatureOf(body: string | Buffer | undefined, secret: string): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secret)
    .update(`${seconds}.`)
    .update(body ?? '')
    .digest('hex');
  return { 'stripe-signature': `t=${seconds},v1=${signature}` };
}

/** A user with a session. */
export async function signUp({
  baseUrl,
  query,
}: Pick<Surroundings, 'baseUrl' | 'query'>): Promise<{ id: string; email: string; cookie: string }> {
  const email = `${randomUUID()}@example.com`;
  const password = `${SECRET_MARK}-${randomUUID()}`;
  const id = await insertAccount(query, { email, password });
  const response = await fetch(`${baseUrl}/v1/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': freshAddress() },
    body: JSON.stringify({ email, password }),
  });
  const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { id, email, cookie: cookie.join('; ') };
}

/** A request that has to succeed; its JSON. */
export async function call(
  baseUrl: string,
  request: { method: string; path: string; headers: Record<string, string>; body?: Json | undefined },
): Promise<Json> {
  const { method, path, headers, body } = request;
  const response = await fetch(baseUrl + path, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Json;
}
