import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../audit/audit.log.js';
import { writeEvents } from '../events/event.log.js';
import type { Author } from '../audit/domain/author.js';
import { ProjectService } from '../projects/project.service.js';
import { DomainError, fieldErrors } from '../../platform/errors/domain-error.js';
import { newId } from '../../platform/identity/ids.js';
import { type Actor, toAuthor } from './domain/actor.js';
import { ApiKey } from './infrastructure/api-key.entity.js';
import { hashOfKey, type KeyArea, type KeyScope, type KeySecret } from './domain/api-key.js';
import { requireManager } from './application/require-manager.js';
import { type Role, roleCovers } from './domain/role.js';

const KEY_BYTES = 32;
const KEY_PREFIX = 'ck_';
const PREFIX_CHARACTERS_SHOWN = 8;

export const ACTIVE_KEYS_PER_PROJECT_MAX = 50;

/** Options of a new key. Its permissions never exceed its role. */
export interface ApiKeyRequest {
  projectId: string;
  name: string;
  role: Role;
  scopes?: KeyScope[];
  /** Absent: it does not expire. */
  expiresAt?: Date;
  /** Absent: all permissions of the role. */
  limitedTo?: KeyArea[];
}

const HOUR_MS = 60 * 60_000;

export interface KeyRef {
  projectId: string;
  id: string;
}

export interface MemberRef {
  projectId: string;
  userId: string;
}

/** A key, and which of its two secrets a member created. */
export interface MadeSecret {
  apiKey: ApiKey;
  secret: KeySecret;
}

/** Creates, lists, renames, rotates, revokes and looks up API keys. */
@Injectable()
export class ApiKeyService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
  ) {}

  /** Creates a key inside the caller's transaction. The secret is returned only here. */
  create(
    tx: EntityManager,
    requested: ApiKeyRequest & { createdBy?: string | null },
  ): { apiKey: ApiKey; key: string } {
    const { key, ...kept } = generateKey();
    const apiKey = tx.create(ApiKey, {
      scopes: [],
      ...requested,
      ...kept,
      id: newId(),
      createdAt: new Date(),
    });
    return { apiKey, key };
  }

  /**
   * Like `create`, in its own transaction. The key is revoked with the user behind the actor: a key
   * created by a key belongs to the member who created that one, and expires no later.
   * @throws DomainError `api_key_limit_reached`, `validation_failed`, and as `requireManager`.
   */
  async issue(requested: ApiKeyRequest, actor: Actor): Promise<{ apiKey: ApiKey; key: string }> {
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, requested.projectId);
      const { userId, endsAt } = await requireManager(tx, actor, requested.projectId);
      refuseOutliving(requested.expiresAt ?? null, endsAt);
      const notExpired = { $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date() } }] };
      const active = await tx.count(ApiKey, {
        projectId: requested.projectId,
        revokedAt: null,
        ...notExpired,
      });
      if (active >= ACTIVE_KEYS_PER_PROJECT_MAX) {
        throw new DomainError(
          'api_key_limit_reached',
          `A project can have up to ${ACTIVE_KEYS_PER_PROJECT_MAX} active API keys. Revoke one first.`,
        );
      }
      const made = this.create(tx, { ...requested, createdBy: userId });
      const { projectId, ...after } = requested;
      await writeAudit(tx, toAuthor(actor), {
        projectId,
        action: 'api_key.create',
        target: made.apiKey.id,
        after,
      });
      const { id, role } = made.apiKey;
      await writeEvents(tx, projectId, [{ type: 'api_key.created', id, data: { role } }]);
      return made;
    });
  }

  /**
   * At most `limit` keys of a project, newest first, including revoked ones; after the id `after`,
   * if given.
   */
  list(projectId: string, page: { after: string | null; limit: number }): Promise<ApiKey[]> {
    const behind = page.after === null ? {} : { id: { $lt: page.after } };
    return this.em
      .fork()
      .find(ApiKey, { projectId, ...behind }, { orderBy: { id: 'desc' }, limit: page.limit });
  }

  /** @throws DomainError `api_key_not_found`. */
  read(ref: KeyRef): Promise<ApiKey> {
    return findOwn(this.em.fork(), ref);
  }

  /** @throws DomainError `api_key_not_found`, `api_key_revoked`. */
  async rename(ref: KeyRef, name: string, author: Author): Promise<ApiKey> {
    return this.em.fork().transactional(async (tx) => {
      const apiKey = await findOwn(tx, ref);
      if (apiKey.revokedAt)
        throw new DomainError('api_key_revoked', 'This API key was revoked. Create a new one.');
      const before = { name: apiKey.name };
      apiKey.name = name;
      const { projectId, id: target } = ref;
      await writeAudit(tx, author, { projectId, action: 'api_key.rename', target, before, after: { name } });
      return apiKey;
    });
  }

  /**
   * Gives a key a new secret, which is returned only here. The former one works for
   * `formerValidHours` more, or until the member who created it is removed; the one before that
   * expires at once. The new secret belongs to the user behind the actor.
   * @throws DomainError `api_key_not_found`, also if it was revoked or has expired; and as `issue`.
   */
  async rotate(
    ref: KeyRef,
    formerValidHours: number,
    actor: Actor,
  ): Promise<{ apiKey: ApiKey; key: string }> {
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, ref.projectId);
      const { userId, endsAt } = await requireManager(tx, actor, ref.projectId);
      const now = new Date();
      const apiKey = await findOwn(tx, ref);
      if (apiKey.revokedAt || (apiKey.expiresAt && apiKey.expiresAt <= now)) throw keyNotFound();
      refuseOutliving(apiKey.expiresAt ?? null, endsAt);
      const { key, ...kept } = generateKey();
      const isFormerKept = formerValidHours > 0;
      const formerKeyHash = isFormerKept ? apiKey.keyHash : null;
      const formerValidUntil = isFormerKept ? new Date(now.getTime() + formerValidHours * HOUR_MS) : null;
      const formerCreatedBy = isFormerKept ? apiKey.createdBy : null;
      Object.assign(apiKey, { ...kept, createdBy: userId, formerKeyHash, formerValidUntil, formerCreatedBy });
      const { projectId, id: target } = ref;
      await writeAudit(tx, toAuthor(actor), {
        projectId,
        action: 'api_key.rotate',
        target,
        after: { formerValidUntil },
      });
      return { apiKey, key };
    });
  }

  /**
   * Revokes a key immediately; does nothing if it is revoked already.
   * @throws DomainError `api_key_not_found`.
   */
  async revoke(ref: KeyRef, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const apiKey = await findOwn(tx, ref);
      if (apiKey.revokedAt) return;
      await revokeAll(tx, author, [apiKey]);
    });
  }

  /**
   * The secrets of a project's active keys that a user created, newest key first: they are revoked
   * when the user is removed.
   */
  async madeBy(em: EntityManager, { projectId, userId }: MemberRef): Promise<MadeSecret[]> {
    const isFormer = { formerCreatedBy: userId, formerValidUntil: { $gt: new Date() } };
    const apiKeys = await em.find(
      ApiKey,
      { projectId, revokedAt: null, $or: [{ createdBy: userId }, isFormer] },
      { orderBy: { id: 'desc' } },
    );
    return apiKeys.map((apiKey) => ({ apiKey, secret: apiKey.createdBy === userId ? 'current' : 'former' }));
  }

  /**
   * Revokes, in the caller's transaction, the secrets that a user created of keys with a higher
   * role than `role`; null: all. Revoking the current secret revokes the whole key.
   */
  async revokeMadeBy(
    tx: EntityManager,
    member: MemberRef,
    { role, author }: { role: Role | null; author: Author },
  ): Promise<void> {
    for (const { apiKey, secret } of await this.madeBy(tx, member)) {
      if (role !== null && roleCovers(role, apiKey.role)) continue;
      if (secret === 'current') await revokeAll(tx, author, [apiKey]);
      else await revokeFormer(tx, author, apiKey);
    }
  }

  /** Revokes, in the caller's transaction, the keys of a project whose names have this prefix. */
  async revokeNamed(tx: EntityManager, projectId: string, prefix: string): Promise<void> {
    const named = { projectId, name: { $like: `${prefix}%` }, revokedAt: null };
    await tx.nativeUpdate(ApiKey, named, { revokedAt: new Date() });
  }

  /** The key's row, or null if it is unknown, revoked or expired. Stores the day of its last use. */
  async find(key: string): Promise<ApiKey | null> {
    const em = this.em.fork();
    const now = new Date();
    const hash = hashOfKey(key);
    const apiKey = await em.findOne(ApiKey, {
      revokedAt: null,
      $and: [
        { $or: [{ keyHash: hash }, { formerKeyHash: hash, formerValidUntil: { $gt: now } }] },
        { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] },
      ],
    });
    if (!apiKey) return null;
    const today = now.toISOString().slice(0, 10);
    // One write per day and key; concurrent requests may both write.
    if (String(apiKey.lastUsedOn ?? '') < today) {
      const { projectId, id } = apiKey;
      await em.nativeUpdate(ApiKey, { projectId, id }, { lastUsedOn: today });
    }
    return apiKey;
  }
}

async function revokeAll(tx: EntityManager, author: Author, apiKeys: ApiKey[]): Promise<void> {
  for (const apiKey of apiKeys) {
    apiKey.revokedAt = new Date();
    const { projectId, id: target, name, role, scopes } = apiKey;
    await writeAudit(tx, author, {
      projectId,
      action: 'api_key.revoke',
      target,
      before: { name, role, scopes },
    });
    await writeEvents(tx, projectId, [{ type: 'api_key.revoked', id: target, data: {} }]);
  }
}

async function revokeFormer(tx: EntityManager, author: Author, apiKey: ApiKey): Promise<void> {
  Object.assign(apiKey, { formerKeyHash: null, formerValidUntil: null, formerCreatedBy: null });
  const { projectId, id: target, name, role, scopes } = apiKey;
  await writeAudit(tx, author, {
    projectId,
    action: 'api_key.revoke_former',
    target,
    before: { name, role, scopes },
  });
}

async function findOwn(em: EntityManager, ref: KeyRef): Promise<ApiKey> {
  const apiKey = await em.findOne(ApiKey, ref);
  if (!apiKey) throw keyNotFound();
  return apiKey;
}

function keyNotFound(): DomainError {
  return new DomainError('api_key_not_found', 'API key not found in this project.');
}

/** A key that expires can't create one that expires later. */
function refuseOutliving(expiresAt: Date | null, endsAt: Date | null): void {
  if (endsAt === null || (expiresAt !== null && expiresAt <= endsAt)) return;
  const message = `An API key with an expiry cannot create a key that outlives it. Set an expiry of ${endsAt.toISOString()} or earlier.`;
  throw fieldErrors([{ field: 'expiresAt', message }]);
}

function generateKey(): { key: string; keyHash: Buffer; prefix: string } {
  const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
  return { key, keyHash: hashOfKey(key), prefix: key.slice(0, PREFIX_CHARACTERS_SHOWN) };
}
