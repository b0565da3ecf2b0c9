import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { writeEvents } from '../../events/event.log.js';
import { rowOf } from '../../../platform/database/tables.js';
import { MailService } from '../../../platform/mail/mail.service.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { AccessService } from '../../access/access.service.js';
import { writeAudit } from '../../audit/audit.log.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import {
  advanceLife,
  type CustomDomain,
  type DomainNotice,
  type NextLife,
  stateEndsAt,
} from '../domain/custom-domain.js';
import { type Caa, type DnsVerdict, expectedRecords, judgeHost } from '../domain/dns-verdict.js';
import { isWithinProject } from '../domain/host-rules.js';
import { domainSettings, type DomainSettings } from '../domains.settings.js';
import { DnsLookup, type HostQueries } from '../infrastructure/dns-lookup.js';
import { CustomDomainEntity } from '../infrastructure/domain.entities.js';
import { checkSoon, claimDue, lockHostname, readHolder } from '../infrastructure/domain.rows.js';

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

const LOOK_EVERY_MS = 60_000;
/** With their deadline of 10 s, all domains of a run are checked within 50 s. */
const CONCURRENCY = 40;
const SYSTEM = { kind: 'system' } as const;

/** The result of the queries about a domain. */
interface Looked {
  verdict: DnsVerdict;
  caa: Caa;
}

/** Checks the DNS records of custom domains, and updates their states. */
@Injectable()
export class DomainChecks implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(DomainChecks.name);
  private readonly dns: DnsLookup;
  private isStopping = false;

  constructor(
    private readonly em: EntityManager,
    private readonly maintenance: Maintenance,
    private readonly events: ProjectEvents,
    private readonly mails: DomainMails,
    @InjectSettings(domainSettings) private readonly settings: DomainSettings,
  ) {
    this.dns = new DnsLookup(settings.resolvers);
  }

  onModuleInit(): void {
    this.events.listen({ changed: checkSoon, ownersChanged: checkSoon });
    if (this.settings.target === '') return;
    this.maintenance.register({
      name: 'custom-domains',
      everyMs: LOOK_EVERY_MS,
      run: (now) => this.checkDue(now),
    });
  }

  /** Finishes the checks in progress; the leases of the others expire. */
  onModuleDestroy(): void {
    this.isStopping = true;
  }

  /** Returns the number of claimed domains. Several workers may run it at the same time. */
  async checkDue(now: Date): Promise<number> {
    const due = await claimDue(this.em.fork(), now);
    const queue = [...due];
    const work = async (): Promise<void> => {
      for (let domain = queue.shift(); domain && !this.isStopping; domain = queue.shift())
        await this.checkOne(domain, now);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return due.length;
  }

  /** Queries the records, and applies the result. */
  async check(domain: CustomDomain, now: Date): Promise<void> {
    const { looked, holder, held } = await this.dns.check(async (queries) => {
      const looked = await this.look(queries, domain);
      const isClaim = looked.verdict.kind === 'good' && domain.state === 'pending';
      const holder = isClaim ? await readHolder(this.em.fork(), domain.hostname) : null;
      return { looked, holder, held: holder && (await this.look(queries, holder)) };
    });
    await this.em.fork().transactional(async (tx) => {
      await lockHostname(tx, domain.hostname);
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const current = await tx.findOne(CustomDomainEntity, { id: domain.id }, lock);
      if (!current) return;
      const verdict = await this.resolveClaim(tx, { claim: current, looked, holder, held });
      await this.settle(tx, { domain: current, looked: { ...looked, verdict }, now });
    });
  }

  private async checkOne(domain: CustomDomain, now: Date): Promise<void> {
    try {
      await this.check(domain, now);
    } catch (error) {
      // A failure must not stop the others; the domain's lease ends soon.
      this.logger.error({ err: error, domainId: domain.id }, 'a custom domain could not be checked');
    }
  }

  private async look(queries: HostQueries, { hostname, token }: CustomDomain): Promise<Looked> {
    const { target } = this.settings;
    const { txt } = expectedRecords({ hostname, token }, target);
    const [answers, caa] = await Promise.all([
      queries.readHost({ hostname, challenge: txt.name }),
      queries.readCaa(hostname),
    ]);
    return { verdict: judgeHost(answers, { hostname, token, target }), caa };
  }

  /**
   * Another project keeps a hostname unless DNS denies it, which is how an owner moves it to a new project.
   */
  private async resolveClaim(
    tx: EntityManager,
    given: { claim: CustomDomainEntity; looked: Looked; holder: CustomDomain | null; held: Looked | null },
  ): Promise<DnsVerdict> {
    const { claim, looked, holder, held } = given;
    const { verdict } = looked;
    if (verdict.kind !== 'good' || claim.state !== 'pending') return verdict;
    const current = await readHolder(tx, claim.hostname);
    if (!current) return verdict;
    // The holder has changed since the lookup; the next check uses the new one.
    if (current.id !== holder?.id || held?.verdict.kind !== 'bad')
      return { kind: 'bad', problem: 'claimed', found: null };
    await this.release(tx, current);
    await this.mails.send(tx, current, 'moved');
    return verdict;
  }

  private async settle(
    tx: EntityManager,
    { domain, looked, now }: { domain: CustomDomainEntity; looked: Looked; now: Date },
  ): Promise<void> {
    const project = await findProject(tx, domain.projectId);
    if (!project) return;
    const isWithin = isWithinProject(domain.hostname, project.domains);
    const verdict: DnsVerdict = isWithin
      ? looked.verdict
      : { kind: 'bad', problem: 'outside_project', found: null };
    const before = rowOf(domain);
    const next = advanceLife({ ...before, seen: before.seenAt !== null }, verdict.kind, now);
    if (next.kind === 'released') return this.release(tx, before);
    Object.assign(domain, {
      ...stateOf(next),
      checkedAt: now,
      nextCheckAt: new Date(now.getTime() + next.checkInMs),
      method: verdict.kind === 'good' ? verdict.method : before.method,
      problem: verdict.kind === 'good' ? null : verdict.problem,
      found: verdict.kind === 'bad' ? verdict.found : null,
      caaKnown: looked.caa.known,
      caaIssuers: looked.caa.issuers,
    });
    if (next.life.state !== before.state)
      await writeAudit(tx, SYSTEM, {
        projectId: domain.projectId,
        action: 'custom_domain.change_state',
        target: domain.hostname,
        before: { state: before.state },
        after: { state: next.life.state },
      });
    const { state } = next.life;
    if (state !== before.state && (state === 'active' || state === 'failing'))
      await writeEvents(tx, domain.projectId, [{ type: `custom_domain.${state}`, id: domain.id, data: {} }]);
    if (next.notice) await this.mails.send(tx, { ...before, ...stateOf(next) }, next.notice);
  }

  private async release(tx: EntityManager, domain: CustomDomain): Promise<void> {
    // At once: the flush would delete it after another domain has taken the hostname.
    await tx.nativeDelete(CustomDomainEntity, { id: domain.id });
    await writeAudit(tx, SYSTEM, {
      projectId: domain.projectId,
      action: 'custom_domain.release',
      target: domain.hostname,
      before: { state: domain.state },
    });
  }
}

function stateOf({ life }: NextLife & { kind: 'kept' }) {
  const { state, stateSince, goodAt, warnedAt } = life;
  return { state, stateSince, goodAt, warnedAt };
}
