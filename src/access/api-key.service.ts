import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../shared/ids.js';
import { ApiKey } from './api-key.entity.js';
import type { Role } from './role.js';

const KEY_BYTES = 32;
const KEY_PREFIX = 'ck_';
const PREFIX_CHARACTERS_SHOWN = 8;

/** Makes and looks up API keys. */
@Injectable()
export class ApiKeyService {
  constructor(private readonly em: EntityManager) {}

  /** Makes a key inside the caller's transaction. The key itself is returned this once and never again. */
  create(
    tx: EntityManager,
    wanted: { projectId: string; name: string; role: Role },
  ): { apiKey: ApiKey; key: string } {
    const key = KEY_PREFIX + randomBytes(KEY_BYTES).toString('base64url');
    const apiKey = tx.create(ApiKey, {
      ...wanted,
      id: newId(),
      keyHash: hashOf(key),
      prefix: key.slice(0, PREFIX_CHARACTERS_SHOWN),
      createdAt: new Date(),
    });
    return { apiKey, key };
  }

  /** The key's row, or null where it is unknown or revoked. */
  find(key: string): Promise<ApiKey | null> {
    return this.em.fork().findOne(ApiKey, { keyHash: hashOf(key), revokedAt: null });
  }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
