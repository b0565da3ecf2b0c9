import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { type MailLanguage, mailLanguage } from '../../../platform/mail/domain/mail-language.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectService } from '../../projects/project.service.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import {
  generateToken,
  hashOfToken,
  INVITATION_LIFE_MS,
  INVITATION_PAGE,
  invitationNotFound,
  INVITATIONS_PER_PROJECT_MAX,
  linkTo,
} from '../domain/account-link.js';
import { type Actor, toAuthor, type UserActor } from '../domain/actor.js';
import { findSecret } from '../domain/api-key.js';
import type { Role } from '../domain/role.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { ApiKey } from '../infrastructure/api-key.entity.js';
import { findLanguage, findUserById } from '../infrastructure/user.rows.js';
import { ProjectInvitation } from '../infrastructure/project-invitation.entity.js';
import { AccountLimits } from './account-limits.js';
import { MembershipService, type PageRequest, withdrawAll } from './membership.service.js';
import { requireManager } from './require-manager.js';

export interface InvitationRef {
  projectId: string;
  id: string;
}

/** Inviting people to a project by address. They accept by `AcceptInvitation` (link) or `OwnInvitations` (session). */
@Injectable()
export class InvitationService {
  private readonly baseUrl: string;

  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly limits: AccountLimits,
    private readonly mails: MailService,
    private readonly memberships: MembershipService,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.baseUrl = resolveBaseUrl(service);
  }

  /** At most `limit` invitations that were not accepted, expired ones included, newest first. */
  list(projectId: string, { after, limit }: PageRequest): Promise<ProjectInvitation[]> {
    const behind = after === null ? {} : { id: { $lt: after } };
    return this.em
      .fork()
      .find(ProjectInvitation, { projectId, ...behind }, { orderBy: { id: 'desc' }, limit });
  }

  /** @throws DomainError `invitation_not_found`. */
  async read(ref: InvitationRef): Promise<ProjectInvitation> {
    const invitation = await this.em.fork().findOne(ProjectInvitation, ref);
    if (!invitation) throw invitationNotFound();
    return invitation;
  }

  /**
   * Invites an address and mails it the link, if the service sends mail. The response is the same
   * with and without an account; the person decides. A member can only be invited as an owner.
   * @throws DomainError `member_exists`, `invitation_exists`, `invitation_limit_reached`,
   * `too_many_requests`, and as `requireManager`.
   */
  async invite(
    projectId: string,
    requested: { email: string; role: Role },
    actor: Actor,
  ): Promise<ProjectInvitation> {
    const email = requested.email.toLowerCase();
    await this.countMail(actor, projectId, email);
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const { userId } = await requireManager(tx, actor, projectId);
      await refuseMember(tx, { ...requested, projectId, email });
      const made = { projectId, email, role: requested.role, invitedBy: userId, transfersOwnership: false };
      return this.make(tx, made, actor);
    });
  }

  /** Like `invite`, but fails if the service sends no mail. @throws DomainError `mail_not_configured`. */
  async inviteByMail(
    projectId: string,
    requested: { email: string; role: Role },
    actor: Actor,
  ): Promise<ProjectInvitation> {
    this.mails.requireMail();
    return this.invite(projectId, requested, actor);
  }

  /**
   * Offers the ownership to a member. Once they accept, they are the owner and the caller is an
   * editor.
   * @throws DomainError `member_not_found`, `member_exists` if they are an owner already, and as
   * `invite`.
   */
  async offerOwnership(
    ref: { projectId: string; userId: string },
    actor: UserActor,
  ): Promise<ProjectInvitation> {
    const { projectId } = ref;
    const { email } = await this.memberships.read(ref);
    await this.countMail(actor, projectId, email);
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const { userId } = await requireManager(tx, actor, projectId);
      await refuseMember(tx, { projectId, email, role: 'owner' });
      const made = { projectId, email, role: 'owner', invitedBy: userId, transfersOwnership: true } as const;
      return this.make(tx, made, actor);
    });
  }

  /**
   * Mails a new link with a full lifetime; the previous one expires.
   * @throws DomainError `invitation_not_found`, `mail_not_configured`, `too_many_requests`, and as
   * `requireManager`.
   */
  async resend(ref: InvitationRef, actor: Actor): Promise<ProjectInvitation> {
    this.mails.requireMail();
    const { email } = await this.read(ref);
    await this.countMail(actor, ref.projectId, email);
    return this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, ref.projectId);
      await requireManager(tx, actor, ref.projectId);
      const invitation = await tx.findOne(ProjectInvitation, ref);
      if (!invitation) throw invitationNotFound();
      const token = generateToken();
      Object.assign(invitation, sentWith(token, new Date()));
      const { projectId, id: target } = ref;
      await writeAudit(tx, toAuthor(actor), { projectId, action: 'invitation.resend', target });
      await this.mail(tx, invitation, token);
      return invitation;
    });
  }

  /** Its link expires at once. @throws DomainError `invitation_not_found`, and as `requireManager`. */
  async withdraw(ref: InvitationRef, actor: Actor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, ref.projectId);
      await requireManager(tx, actor, ref.projectId);
      const invitation = await tx.findOne(ProjectInvitation, ref);
      if (!invitation) throw invitationNotFound();
      await withdrawAll(tx, [invitation], toAuthor(actor));
    });
  }

  /** Counts before the transaction, so that a refused sender never waits for its locks. */
  private async countMail(actor: Actor, projectId: string, email: string): Promise<void> {
    const sender = await findMailSender(this.em.fork(), actor);
    await this.limits.invite({ sender, projectId, email });
  }

  private async make(
    tx: EntityManager,
    requested: Pick<ProjectInvitation, 'projectId' | 'email' | 'role' | 'transfersOwnership' | 'invitedBy'>,
    actor: Actor,
  ): Promise<ProjectInvitation> {
    const { projectId, email, role, transfersOwnership } = requested;
    if (await tx.findOne(ProjectInvitation, { projectId, email })) {
      throw new DomainError(
        'invitation_exists',
        'This address is already invited. Resend the invitation instead.',
      );
    }
    if ((await tx.count(ProjectInvitation, { projectId })) >= INVITATIONS_PER_PROJECT_MAX) {
      throw new DomainError(
        'invitation_limit_reached',
        `A project can have up to ${INVITATIONS_PER_PROJECT_MAX} pending invitations. Withdraw one first.`,
      );
    }
    const now = new Date();
    const token = generateToken();
    const sent = { id: newId(), createdAt: now, ...sentWith(token, now) };
    const invitation = tx.create(ProjectInvitation, { ...requested, ...sent });
    await writeAudit(tx, toAuthor(actor), {
      projectId,
      action: 'invitation.create',
      target: invitation.id,
      after: { role, ...(transfersOwnership && { transfersOwnership }) },
    });
    await this.mail(tx, invitation, token);
    return invitation;
  }

  private async mail(tx: EntityManager, invitation: ProjectInvitation, token: string): Promise<void> {
    const { projectId, email: to, role, transfersOwnership, expiresAt: until } = invitation;
    const project = (await findProject(tx, projectId))?.name ?? '';
    const link = linkTo(this.baseUrl, INVITATION_PAGE, token);
    const language = await this.languageOf(tx, invitation.invitedBy ?? null);
    const rest = { to, projectId, until, language };
    if (transfersOwnership)
      await this.mails.send({ ...rest, template: 'ownership_offered', values: { project, link } }, tx);
    else await this.mails.send({ ...rest, template: 'invitation', values: { project, role, link } }, tx);
  }

  /** For people without an account: the language of the inviter. */
  private async languageOf(tx: EntityManager, userId: string | null): Promise<MailLanguage> {
    const inviter = userId === null ? null : await findUserById(tx, userId);
    return mailLanguage(inviter && (await findLanguage(tx, inviter.email)));
  }
}

function sentWith(token: string, now: Date): Pick<ProjectInvitation, 'tokenHash' | 'sentAt' | 'expiresAt'> {
  return {
    tokenHash: hashOfToken(token),
    sentAt: now,
    expiresAt: new Date(now.getTime() + INVITATION_LIFE_MS),
  };
}

/** Refuses members, unless a member is to become an owner. @throws DomainError `member_exists`. */
async function refuseMember(
  tx: EntityManager,
  { projectId, email, role }: { projectId: string; email: string; role: Role },
): Promise<void> {
  // One query, so that the response time does not reveal whether a non-member's address has an account.
  const member = await accessTables(tx)
    .selectFrom('project_member as m')
    .innerJoin('app_user as u', 'u.id', 'm.userId')
    .select('m.role')
    .where('m.projectId', '=', projectId)
    .where('u.email', '=', email)
    .executeTakeFirst();
  if (!member || (role === 'owner' && member.role !== 'owner')) return;
  throw new DomainError('member_exists', 'This user is already a member. Change their role instead.');
}

/**
 * The person whose mail budget a request uses: the user, or the member who created the API key's
 * secret. The keys of a project with unknown creators share the project's budget.
 */
async function findMailSender(em: EntityManager, actor: Actor): Promise<string> {
  if (actor.kind !== 'api_key') return actor.userId;
  const { apiKeyId: id, projectId } = actor;
  const key = await em.findOne(ApiKey, { projectId, id });
  const secret = key && findSecret(key, actor.keyHash, new Date());
  return secret?.madeBy ?? projectId;
}
