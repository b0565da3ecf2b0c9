import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import {
  generateToken,
  hashOfToken,
  INVITATION_LIFE_MS,
  INVITATION_PAGE,
  linkTo,
} from '../../access/domain/account-link.js';
import { toAuthor, type UserActor } from '../../access/domain/actor.js';
import { PeopleService } from '../../access/people.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import { INVITATIONS_PER_ORGANIZATION_MAX, type OrganizationRoles } from '../domain/organization.js';
import {
  countInvitations,
  findInvitationBy,
  findOrganization,
  insertInvitation,
  listInvitations,
  type OrganizationInvitationRow,
  renewInvitation,
} from '../infrastructure/organization.rows.js';
import { lockOrganization, withdrawOrganizationInvitations } from '../organization-memberships.js';
import { requireAdmin } from './require-admin.js';

export interface OrganizationInvitationRef {
  organizationId: string;
  id: string;
}

/** Inviting people to an organization by address. They accept like an invitation to a project. */
@Injectable()
export class OrganizationInvitationService {
  private readonly baseUrl: string;

  constructor(
    private readonly em: EntityManager,
    private readonly people: PeopleService,
    private readonly mails: MailService,
    @InjectSettings(serviceSettings) service: ServiceSettings,
  ) {
    this.baseUrl = resolveBaseUrl(service);
  }

  /** At most `limit` invitations that were not accepted, expired ones included, newest first. */
  list(
    organizationId: string,
    page: { after: string | null; limit: number },
  ): Promise<OrganizationInvitationRow[]> {
    return listInvitations(this.em.fork(), organizationId, page);
  }

  /** @throws DomainError `invitation_not_found`. */
  read(ref: OrganizationInvitationRef): Promise<OrganizationInvitationRow> {
    return findOwn(this.em.fork(), ref);
  }

  /**
   * Invites an address and mails it the link, if the service sends mail. The response is the same
   * with and without an account. A member can only be invited as an admin.
   * @throws DomainError `member_exists`, `invitation_exists`, `invitation_limit_reached`,
   * `too_many_requests`, and as `requireAdmin`.
   */
  async invite(
    organizationId: string,
    requested: { email: string } & OrganizationRoles,
    user: UserActor,
  ): Promise<OrganizationInvitationRow> {
    const email = requested.email.toLowerCase();
    await this.people.countInvitation(user, { to: email, organizationId });
    return this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, organizationId);
      await requireAdmin(tx, user, organizationId);
      await this.refuse(tx, { ...requested, organizationId, email });
      const now = new Date();
      const token = generateToken();
      const { role, projectRole } = requested;
      const invitation: OrganizationInvitationRow = {
        organizationId,
        id: newId(),
        email,
        role,
        projectRole,
        invitedBy: user.userId,
        createdAt: now,
        ...sentWith(token, now),
      };
      await insertInvitation(tx, invitation);
      await writeAudit(tx, toAuthor(user), {
        projectId: organizationId,
        action: 'organization_invitation.create',
        target: invitation.id,
        after: { role, projectRole },
      });
      await this.mail(tx, invitation, token);
      return invitation;
    });
  }

  /**
   * Mails a new link with a full lifetime; the previous one expires.
   * @throws DomainError `invitation_not_found`, `mail_not_configured`, `too_many_requests`, and as `requireAdmin`.
   */
  async resend(ref: OrganizationInvitationRef, user: UserActor): Promise<OrganizationInvitationRow> {
    this.mails.requireMail();
    const { email } = await this.read(ref);
    const { organizationId, id: target } = ref;
    await this.people.countInvitation(user, { to: email, organizationId });
    return this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, organizationId);
      await requireAdmin(tx, user, organizationId);
      const stored = await findOwn(tx, ref);
      const token = generateToken();
      const sent = sentWith(token, new Date());
      await renewInvitation(tx, ref, sent);
      const invitation = { ...stored, ...sent };
      await writeAudit(tx, toAuthor(user), {
        projectId: organizationId,
        action: 'organization_invitation.resend',
        target,
      });
      await this.mail(tx, invitation, token);
      return invitation;
    });
  }

  /** Its link expires at once. @throws DomainError `invitation_not_found`, and as `requireAdmin`. */
  async withdraw(ref: OrganizationInvitationRef, user: UserActor): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      await lockOrganization(tx, ref.organizationId);
      await requireAdmin(tx, user, ref.organizationId);
      await withdrawOrganizationInvitations(tx, [await findOwn(tx, ref)], toAuthor(user));
    });
  }

  private async refuse(
    tx: EntityManager,
    { organizationId, email, role }: { organizationId: string; email: string } & OrganizationRoles,
  ): Promise<void> {
    const held = await this.people.roleOfAddress(tx, organizationId, email);
    if (held !== null && (role !== 'admin' || held === 'admin'))
      throw new DomainError('member_exists', 'This user is already a member. Change their role instead.');
    if (await findInvitationBy(tx, { organizationId, email })) {
      throw new DomainError(
        'invitation_exists',
        'This address is already invited. Resend the invitation instead.',
      );
    }
    if ((await countInvitations(tx, organizationId)) >= INVITATIONS_PER_ORGANIZATION_MAX) {
      throw new DomainError(
        'invitation_limit_reached',
        `An organization can have up to ${INVITATIONS_PER_ORGANIZATION_MAX} pending invitations. Withdraw one first.`,
      );
    }
  }

  private async mail(tx: EntityManager, invitation: OrganizationInvitationRow, token: string): Promise<void> {
    const { organizationId, email: to, expiresAt: until, invitedBy } = invitation;
    const organization = (await findOrganization(tx, organizationId))?.name ?? '';
    const link = linkTo(this.baseUrl, INVITATION_PAGE, token);
    const language = await this.people.languageOf(tx, invitedBy);
    await this.mails.send(
      { to, template: 'organization_invitation', values: { organization, link }, until, language },
      tx,
    );
  }
}

function sentWith(token: string, now: Date): { tokenHash: Buffer; sentAt: Date; expiresAt: Date } {
  return {
    tokenHash: hashOfToken(token),
    sentAt: now,
    expiresAt: new Date(now.getTime() + INVITATION_LIFE_MS),
  };
}

async function findOwn(
  em: EntityManager,
  ref: OrganizationInvitationRef,
): Promise<OrganizationInvitationRow> {
  const invitation = await findInvitationBy(em, ref);
  if (!invitation)
    throw new DomainError('invitation_not_found', 'Invitation not found in this organization.');
  return invitation;
}
