import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AccessService } from '../../access/access.service.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { findProject } from '../../projects/project.rows.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import type { CustomDomain } from '../domain/custom-domain.js';
import { type DomainNotice, stateEndsAt } from '../domain/domain-life.js';
import { expectedRecords } from '../domain/domain-token.js';
import { type DomainSettings, domainSettings } from '../domains.settings.js';

/** Mails owners about their custom domains. */
@Injectable()
export class DomainMails {
  constructor(
    private readonly access: AccessService,
    private readonly mails: MailService,
    @InjectSettings(domainSettings) private readonly settings: DomainSettings,
  ) {}

  /** In the transaction that changes the domain. `domain` is its new state. */
  async send(tx: EntityManager, domain: CustomDomain, event: DomainNotice | 'moved'): Promise<void> {
    const { projectId, hostname } = domain;
    const project = await findProject(tx, projectId);
    if (!project) return;
    const { cname, txt } = expectedRecords(domain, this.settings.target);
    const values = {
      project: project.name,
      hostname,
      event,
      dnsRecords: [cname, txt].map(({ type, name, value }) => `${name} ${type} ${value}`),
      at: event === 'moved' ? null : (stateEndsAt(domain)?.toISOString() ?? null),
    };
    for (const to of await this.access.ownersOf(tx, projectId))
      await this.mails.send({ to, template: 'custom_domain', values, projectId }, tx);
  }
}
