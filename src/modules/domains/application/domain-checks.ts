import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { findProject } from '../../projects/project.rows.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { Maintenance } from '../../shared/maintenance.js';
import type { CustomDomain } from '../domain/custom-domain.js';
import { type DnsVerdict, judgeHost } from '../domain/dns-verdict.js';
import { advanceLife, type NextLife } from '../domain/domain-life.js';
import { expectedRecords } from '../domain/domain-token.js';
import { isWithinProject } from '../domain/hostname-rules.js';
import { type DomainSettings, domainSettings } from '../domains.settings.js';
import { DnsLookup } from '../infrastructure/dns-lookup.js';
import {
  checkSoon,
  claimDue,
  deleteDomain,
  lockDomain,
  lockHostname,
  readHolder,
  updateDomain,
} from '../infrastructure/domain.rows.js';
import { DomainMails } from './domain-mails.js';

const LOOK_EVERY_MS = 60_000;
/** Domains that one run checks; others are still due at the next run. */
const DUE_MAX = 500;
const CONCURRENCY = 20;
const SYSTEM = { kind: 'system' } as const;

/** What DNS says about a domain, and the CAs that may issue for it. */
interface Looked {
  verdict: DnsVerdict;
  caaIssuers: string[] | null;
}

/** Checks the DNS records of custom domains, and moves the domains through their states. */
@Injectable()
export class DomainChecks implements OnModuleInit {
  private readonly logger = new Logger(DomainChecks.name);
  private readonly dns: DnsLookup;

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
      ...{ name: 'custom-domains', everyMs: LOOK_EVERY_MS },
      run: (now) => this.checkDue(now),
    });
  }

  /** Returns how many domains it checked. Several workers may run it at the same time. */
  async checkDue(now: Date): Promise<number> {
    const due = await claimDue(this.em.fork(), { now, limit: DUE_MAX });
    const queue = [...due];
    const work = async (): Promise<void> => {
      for (let domain = queue.shift(); domain; domain = queue.shift()) await this.checkOne(domain, now);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    return due.length;
  }

  /** Looks the records up, and settles what follows. */
  async check(domain: CustomDomain, now: Date): Promise<void> {
    const looked = await this.look(domain);
    const holder =
      looked.verdict.kind === 'good' && domain.state === 'pending'
        ? await readHolder(this.em.fork(), domain.hostname)
        : null;
    const held = holder && (await this.look(holder));
    await this.em.fork().transactional(async (tx) => {
      await lockHostname(tx, domain.hostname);
      const current = await lockDomain(tx, domain.id);
      if (!current) return;
      const verdict = await this.resolveClaim(tx, { claim: current, looked, holder, held });
      await this.settle(tx, { domain: current, looked: { ...looked, verdict }, now });
    });
  }

  private async checkOne(domain: CustomDomain, now: Date): Promise<void> {
    try {
      await this.check(domain, now);
    } catch (error) {
      // One domain must not hold back the others; its lease ends soon.
      this.logger.error({ err: error, domainId: domain.id }, 'a custom domain could not be checked');
    }
  }

  private async look({ hostname, token }: CustomDomain): Promise<Looked> {
    const { target } = this.settings;
    const { txt } = expectedRecords({ hostname, token }, target);
    const [answers, caaIssuers] = await Promise.all([
      this.dns.readHost({ hostname, challenge: txt.name }),
      this.dns.readCaa(hostname),
    ]);
    return { verdict: judgeHost(answers, { hostname, token, target }), caaIssuers };
  }

  /** Another project keeps a hostname unless DNS denies it, which is how an owner moves it to a new project. */
  private async resolveClaim(
    tx: EntityManager,
    given: { claim: CustomDomain; looked: Looked; holder: CustomDomain | null; held: Looked | null },
  ): Promise<DnsVerdict> {
    const { claim, looked, holder, held } = given;
    const { verdict } = looked;
    if (verdict.kind !== 'good' || claim.state !== 'pending') return verdict;
    const current = await readHolder(tx, claim.hostname);
    if (!current) return verdict;
    // Another holder than the one that was looked up: the next check knows it.
    if (current.id !== holder?.id || held?.verdict.kind !== 'bad')
      return { kind: 'bad', problem: 'claimed', found: null };
    await this.release(tx, current);
    await this.mails.send(tx, current, 'moved');
    return verdict;
  }

  private async settle(
    tx: EntityManager,
    { domain, looked, now }: { domain: CustomDomain; looked: Looked; now: Date },
  ): Promise<void> {
    const project = await findProject(tx, domain.projectId);
    if (!project) return;
    const isWithin = isWithinProject(domain.hostname, project.domains);
    const verdict: DnsVerdict = isWithin
      ? looked.verdict
      : { kind: 'bad', problem: 'outside_project', found: null };
    const life = { ...domain, seen: domain.seenAt !== null };
    const next = advanceLife(life, verdict.kind, now);
    if (next.kind === 'released') return this.release(tx, domain);
    await updateDomain(tx, domain.id, {
      ...stateOf(next),
      ...{ checkedAt: now, nextCheckAt: new Date(now.getTime() + next.checkInMs) },
      method: verdict.kind === 'good' ? verdict.method : domain.method,
      problem: verdict.kind === 'good' ? null : verdict.problem,
      found: verdict.kind === 'bad' ? verdict.found : null,
      caaIssuers: looked.caaIssuers,
    });
    if (next.life.state !== domain.state)
      await writeAudit(tx, SYSTEM, {
        ...{ projectId: domain.projectId, action: 'custom_domain.change_state', target: domain.hostname },
        ...{ before: { state: domain.state }, after: { state: next.life.state } },
      });
    if (next.notice) await this.mails.send(tx, { ...domain, ...stateOf(next) }, next.notice);
  }

  private async release(tx: EntityManager, domain: CustomDomain): Promise<void> {
    await deleteDomain(tx, domain.id);
    await writeAudit(tx, SYSTEM, {
      ...{ projectId: domain.projectId, action: 'custom_domain.release', target: domain.hostname },
      before: { state: domain.state },
    });
  }
}

function stateOf({ life }: NextLife & { kind: 'kept' }) {
  const { state, stateSince, goodAt, warnedAt } = life;
  return { state, stateSince, goodAt, warnedAt };
}
