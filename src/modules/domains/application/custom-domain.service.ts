import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { ProjectService } from '../../projects/project.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type SecretSettings, secretSettings } from '../../../platform/settings/secret-keys.settings.js';
import { DomainError, fieldErrors, tooManyRequests } from '../../../platform/errors/domain-error.js';
import { rowOf } from '../../../platform/database/tables.js';
import { isUuid, newId } from '../../../platform/identity/ids.js';
import { type CustomDomain, stateEndsAt } from '../domain/custom-domain.js';
import { type DomainRecord, domainToken, expectedRecords } from '../domain/dns-verdict.js';
import { checkHostname, mayGetCertificate, REFUSAL_SENTENCES } from '../domain/host-rules.js';
import { type DomainSettings, domainSettings } from '../domains.settings.js';
import { CustomDomainEntity } from '../infrastructure/domain.entities.js';
import { readDomains, takeAttempt } from '../infrastructure/domain.rows.js';
import { DomainChecks } from './domain-checks.js';
import { OwnHosts } from './host-list.js';

const FIELD_CODES = {
  not_a_hostname: 'host_name',
  public_suffix: 'public_suffix',
  too_many_labels: 'too_many_labels',
  own_host: 'own_host',
  preview_host: 'preview_host',
  outside_project: 'outside_project',
} as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A custom domain for members. */
export interface DomainView extends CustomDomain {
  records: { cname: DomainRecord; txt: DomainRecord };
  /** When the state ends unless a check is good; null: it does not end. */
  stateEndsAt: Date | null;
  /** Whether the edge may get a certificate now. */
  mayGetCertificate: boolean;
  /** Whether the CAA records of the last check forbid the edge's CA to issue. */
  caaForbids: boolean;
}

interface Caller {
  project: Project;
  author: Author;
}

/** Management of custom domains by members. */
@Injectable()
export class CustomDomainService {
  constructor(
    private readonly em: EntityManager,
    private readonly projects: ProjectService,
    private readonly checks: DomainChecks,
    private readonly ownHosts: OwnHosts,
    @InjectSettings(domainSettings) private readonly settings: DomainSettings,
    @InjectSettings(secretSettings) private readonly secrets: SecretSettings,
  ) {}

  /** Limits of adding domains; `target` null: custom domains are not available. */
  limits(): { target: string | null; certificateAuthority: string; domainsMax: number } {
    const { target, certificateAuthority, perProjectMax } = this.settings;
    return { target: target || null, certificateAuthority, domainsMax: perProjectMax };
  }

  async list(projectId: string): Promise<DomainView[]> {
    return (await readDomains(this.em.fork(), projectId)).map((domain) => this.view(domain));
  }

  /** @throws DomainError `domain_not_found`. */
  async read(projectId: string, id: string): Promise<DomainView> {
    return this.view(rowOf(await this.find(this.em.fork(), projectId, id)));
  }

  /**
   * Adds an unverified hostname. Other projects may add it as well; DNS decides who owns it.
   *
   * @throws DomainError `custom_domains_not_configured`, `validation_failed`, `domain_exists`,
   * `domain_limit_reached`, `too_many_requests`.
   */
  async add({ project, author }: Caller, text: string, now: Date): Promise<DomainView> {
    this.requireTarget();
    const checked = checkHostname(text, {
      projectDomains: project.domains,
      // A name without a dot has customers' domains below it: `dev` must not refuse `shop.dev`.
      ownHosts: [...this.ownHosts.names.filter((name) => name.includes('.')), this.settings.target],
    });
    if (checked.kind === 'refused')
      throw fieldErrors([
        { field: 'hostname', message: REFUSAL_SENTENCES[checked.reason], code: FIELD_CODES[checked.reason] },
      ]);
    const { hostname } = checked;
    await this.takeAttempt(project.id, now);
    const id = newId();
    const projectId = project.id;
    const token = domainToken({ projectId, hostname }, this.key());
    await this.em.fork().transactional(async (tx) => {
      await this.projects.lock(tx, projectId);
      const existing = await tx.find(CustomDomainEntity, { projectId });
      if (existing.length >= this.settings.perProjectMax)
        throw new DomainError(
          'domain_limit_reached',
          `A project can have up to ${this.settings.perProjectMax} custom domains. Remove one first.`,
        );
      if (existing.some((domain) => domain.hostname === hostname))
        throw new DomainError('domain_exists', 'The project already has this custom domain.');
      const times = { stateSince: now, createdAt: now, nextCheckAt: now };
      tx.create(CustomDomainEntity, { id, projectId, hostname, token, state: 'pending', ...times });
      await writeAudit(tx, author, { projectId, action: 'custom_domain.create', target: hostname });
    });
    return this.read(projectId, id);
  }

  /**
   * Checks the records now.
   * @throws DomainError `domain_not_found`, `custom_domains_not_configured`, `too_many_requests`.
   */
  async check({ project, author }: Caller, id: string, now: Date): Promise<DomainView> {
    const domain = await this.find(this.em.fork(), project.id, id);
    this.requireTarget();
    await this.takeAttempt(project.id, now);
    await this.em.fork().transactional((tx) =>
      writeAudit(tx, author, {
        projectId: project.id,
        action: 'custom_domain.check',
        target: domain.hostname,
      }),
    );
    await this.checks.check(rowOf(domain), now);
    return this.read(project.id, id);
  }

  /** The hostname is available to others at once. @throws DomainError `domain_not_found`. */
  async remove({ project, author }: Caller, id: string): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const domain = await this.find(tx, project.id, id);
      const { hostname, state } = domain;
      tx.remove(domain);
      await writeAudit(tx, author, {
        projectId: project.id,
        action: 'custom_domain.remove',
        target: hostname,
        before: { state },
      });
    });
  }

  private async find(em: EntityManager, projectId: string, id: string): Promise<CustomDomainEntity> {
    const domain = isUuid(id) ? await em.findOne(CustomDomainEntity, { projectId, id }) : null;
    if (!domain) throw new DomainError('domain_not_found', 'Custom domain not found.');
    return domain;
  }

  private async takeAttempt(projectId: string, now: Date): Promise<void> {
    const max = this.settings.attemptsPerDay;
    if (await takeAttempt(this.em.fork(), projectId, { max, now })) return;
    throw tooManyRequests(
      `A project can add and check custom domains ${max} times a day. Due checks run anyway.`,
      DAY_MS - (now.getTime() % DAY_MS),
    );
  }

  private requireTarget(): void {
    if (this.settings.target !== '') return;
    throw new DomainError(
      'custom_domains_not_configured',
      'Custom domains are not available. The operator must set CUSTOM_DOMAIN_TARGET.',
    );
  }

  private key(): Buffer {
    const [first] = this.secrets.secretKeys;
    if (!first) throw new Error('Custom domains need SECRET_KEYS.');
    return first.key;
  }

  private view(domain: CustomDomain): DomainView {
    const { caaKnown, caaIssuers } = domain;
    return {
      ...domain,
      records: expectedRecords(domain, this.settings.target),
      stateEndsAt: stateEndsAt(domain),
      mayGetCertificate: mayGetCertificate(domain, new Date()),
      caaForbids: caaKnown && caaIssuers !== null && !caaIssuers.includes(this.settings.certificateAuthority),
    };
  }
}
