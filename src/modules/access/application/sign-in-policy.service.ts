import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { ProjectService } from '../../projects/project.service.js';
import { type Actor, toAuthor, requireUser } from '../domain/actor.js';
import { ProjectSignInPolicy } from '../infrastructure/second-factor.entities.js';
import { secondFactorMissing } from './auth-refusal.js';
import { requireManager } from './require-manager.js';

export interface SignInPolicy {
  secondFactorRequired: boolean;
}

/** A project's sign-in requirements for members; API keys are exempt. */
@Injectable()
export class SignInPolicyService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
  ) {}

  async read(projectId: string, em: EntityManager = this.em.fork()): Promise<SignInPolicy> {
    const policy = await em.findOne(ProjectSignInPolicy, { projectId });
    return { secondFactorRequired: policy?.secondFactorRequired ?? false };
  }

  /**
   * Members without a second factor are refused from their next request on. Every change of the
   * policy requires the session of an owner with a second factor, which an API key lacks.
   *
   * @throws DomainError `session_required`, `second_factor_missing`, and as `requireManager`.
   */
  async save(projectId: string, requested: SignInPolicy, actor: Actor): Promise<SignInPolicy> {
    const { secondFactorRequired } = requested;
    if (!requireUser(actor).secondFactor) throw secondFactorMissing();
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      await requireManager(tx, actor, projectId);
      const before = await this.read(projectId, tx);
      if (before.secondFactorRequired === secondFactorRequired) return;
      await tx.upsert(ProjectSignInPolicy, { projectId, secondFactorRequired });
      await writeAudit(tx, toAuthor(actor), {
        projectId,
        action: 'sign_in_policy.save',
        before: { ...before },
        after: { secondFactorRequired },
      });
    });
    return { secondFactorRequired };
  }
}
