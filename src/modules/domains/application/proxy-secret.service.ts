import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { ProjectService } from '../../projects/project.service.js';
import {
  createProxySecret,
  formerValidUntil,
  hashProxySecret,
  type ProxyState,
  resolveProxyState,
} from '../domain/proxy-secret.js';
import { FirstPartyProxy } from '../infrastructure/domain.entities.js';
import { readProxy, type StoredProxy } from '../infrastructure/domain.rows.js';

/** A project's path proxy, with the state derived from the sightings. */
export interface ProxyView extends StoredProxy {
  state: ProxyState;
}

/** A new secret in plain text, returned only once. */
export interface NewProxySecret {
  secret: string;
  /** Until when the former secret is valid too; null: there is none. */
  formerValidUntil: Date | null;
}

const NOTHING: StoredProxy = {
  secretCreatedAt: null,
  formerValidUntil: null,
  provenAt: null,
  host: null,
  prefix: null,
  unprovenAt: null,
};

/** The secret that authenticates a customer's proxy, and the proxy's sightings. */
@Injectable()
export class ProxySecretService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
  ) {}

  async read(projectId: string, now: Date): Promise<ProxyView> {
    const stored = (await readProxy(this.em.fork(), projectId)) ?? NOTHING;
    const isPast = stored.formerValidUntil !== null && stored.formerValidUntil <= now;
    return {
      ...stored,
      formerValidUntil: isPast ? null : stored.formerValidUntil,
      state: resolveProxyState(stored, now),
    };
  }

  /**
   * Creates or rotates the secret: the former one stays valid for `formerValidHours`. The one
   * before that expires at once, so there are never more than two.
   */
  async create(
    { projectId, author }: { projectId: string; author: Author },
    { formerValidHours, now }: { formerValidHours: number; now: Date },
  ): Promise<NewProxySecret> {
    const secret = createProxySecret();
    const hash = hashProxySecret(secret) as Buffer;
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const former = (await tx.findOne(FirstPartyProxy, { projectId }))?.secretHash ?? null;
      const until = former && formerValidUntil(formerValidHours, now);
      // A sighting can create the row between the two statements.
      await tx.upsert(FirstPartyProxy, {
        projectId,
        secretHash: hash,
        secretCreatedAt: now,
        formerSecretHash: until && former,
        formerValidUntil: until,
      });
      await writeAudit(tx, author, {
        projectId,
        action: 'proxy_secret.create',
        after: { createdAt: now, formerValidUntil: until },
      });
      return { secret, formerValidUntil: until };
    });
  }

  /** Ends the overlap of a rotation. Does nothing without a former secret. */
  async forgetFormer(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const proxy = await tx.findOne(FirstPartyProxy, { projectId });
      if (!proxy?.formerSecretHash) return;
      Object.assign(proxy, { formerSecretHash: null, formerValidUntil: null });
      await writeAudit(tx, author, { projectId, action: 'proxy_secret.forget_former' });
    });
  }

  /** No proxy is trusted any longer. Does nothing without a secret. */
  async remove(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const proxy = await tx.findOne(FirstPartyProxy, { projectId });
      if (!proxy?.secretHash) return;
      Object.assign(proxy, {
        secretHash: null,
        secretCreatedAt: null,
        formerSecretHash: null,
        formerValidUntil: null,
      });
      await writeAudit(tx, author, { projectId, action: 'proxy_secret.remove' });
    });
  }
}
