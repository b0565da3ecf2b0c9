import type { EntityManager } from '@mikro-orm/postgresql';
import { readsThrough } from '../../../platform/database/prepared-reads.js';
import type { OperatorBilling } from './operator-billing.js';
import { BILLING_EVENT, eventIdOf } from '../domain/billing-message.js';
import { parseInstant } from '../../../platform/time/instant.js';
import {
  atMost,
  type Command,
  DRY_RUN,
  type ParsedArgs,
  LISTED_MAX,
  OperatorError,
  print,
  requireProjectId,
  required,
  UsageError,
} from '../../../platform/operations/operator-command.js';

const EVENT_STATUSES = ['dead', 'pending', 'processed', 'ignored'] as const;
const PAID_TIERS = ['pro', 'business', 'enterprise'] as const;

/** Events of the billing provider, and tiers that operators grant manually. */
export const billingCommands: Command[] = [
  {
    name: 'billing events',
    synopsis: `[--status ${EVENT_STATUSES.join('|')}]`,
    summary: 'list billing events, newest first; dead-lettered ones by default',
    options: { status: { type: 'string' } },
    prepare: (parsed) => {
      atMost(0, parsed);
      const { status = 'dead' } = parsed.values;
      const requested = EVENT_STATUSES.find((known) => known === status);
      if (!requested) throw new UsageError(`--status must be one of ${EVENT_STATUSES.join(', ')}.`);
      return async ({ orm }) => listEvents(await createOperatorBilling(orm.em), requested);
    },
  },
  {
    name: 'billing replay',
    synopsis: '<eventId>  [--dry-run]',
    summary: 'replay a billing event, even one that was already processed',
    options: { ...DRY_RUN },
    prepare: (parsed) => {
      const [eventId] = parsed.args;
      if (eventId === undefined) throw new UsageError('Specify the id of an event.');
      atMost(1, parsed);
      const dryRun = parsed.values['dry-run'] === true;
      return async ({ orm }) => {
        const billing = await createOperatorBilling(orm.em);
        if (!(await billing.replay(eventId, { dryRun })))
          throw new OperatorError(
            'Event not found, or it cannot be replayed: it was ignored, or its payload was dropped.',
          );
        print(dryRun ? 'Would replay 1.' : 'Replaying 1; a worker picks it up within the poll interval.');
      };
    },
  },
  {
    name: 'billing grant',
    synopsis: '<projectId> <tier> --until <instant> --reason <text> --by <operator>  [--dry-run]',
    summary: `grant a tier to a project: ${PAID_TIERS.join(', ')}`,
    options: { until: { type: 'string' }, reason: { type: 'string' }, by: { type: 'string' }, ...DRY_RUN },
    prepare: prepareGrant,
  },
  {
    name: 'billing revoke',
    synopsis: '<projectId> --reason <text> --by <operator>  [--dry-run]',
    summary: 'revoke a granted tier immediately',
    options: { reason: { type: 'string' }, by: { type: 'string' }, ...DRY_RUN },
    prepare: (parsed) => {
      const projectId = requireProjectId(parsed.args[0]);
      atMost(1, parsed);
      const why = reasonAndOperator(parsed);
      const dryRun = parsed.values['dry-run'] === true;
      return async ({ orm }) => {
        const billing = await createOperatorBilling(orm.em);
        const result = await billing.revoke({ projectId, ...why }, { now: new Date(), dryRun });
        if (!result) throw new OperatorError('Project not found, or it has no granted tier.');
        tellChange(projectId, result, dryRun);
      };
    },
  },
];

function prepareGrant(parsed: ParsedArgs): ReturnType<Command['prepare']> {
  const projectId = requireProjectId(parsed.args[0]);
  const tier = PAID_TIERS.find((known) => known === parsed.args[1]);
  if (!tier) throw new UsageError(`Specify a tier after the project: ${PAID_TIERS.join(', ')}.`);
  atMost(2, parsed);
  const until = required(parsed, 'until', 'the end of the grant');
  const expiresAt = parseInstant(until);
  if (!expiresAt) throw new UsageError('--until must be an ISO 8601 instant, e.g. 2027-12-31.');
  const now = new Date();
  if (expiresAt <= now) throw new UsageError('--until must be in the future.');
  const why = reasonAndOperator(parsed);
  const dryRun = parsed.values['dry-run'] === true;
  return async ({ orm }) => {
    const billing = await createOperatorBilling(orm.em);
    const result = await billing.grant({ projectId, tier, expiresAt, ...why }, { now, dryRun });
    if (!result) throw new OperatorError('Project not found.');
    tellChange(projectId, result, dryRun);
  };
}

function reasonAndOperator(parsed: ParsedArgs): { reason: string; operator: string } {
  return {
    reason: required(parsed, 'reason', 'the reason'),
    operator: required(parsed, 'by', 'the name of the operator'),
  };
}

async function createOperatorBilling(em: EntityManager): Promise<OperatorBilling> {
  const [{ OperatorBilling: Billing }, { LicensingService }, { OutboxService }] = await Promise.all([
    import('./operator-billing.js'),
    import('../../licensing/licensing.service.js'),
    import('../../../platform/outbox/outbox.service.js'),
  ]);
  const outbox = OutboxService.appendOnly(em, { topics: [BILLING_EVENT] });
  const licensing = new LicensingService(em, readsThrough(em), outbox);
  licensing.onModuleInit();
  return new Billing(em, licensing, outbox);
}

/** Events of requeued messages are pending again, like their messages. */
export async function reviveEvents(
  tx: EntityManager,
  letters: { payload: Record<string, unknown> | null }[],
): Promise<void> {
  const { BillingEventStore } = await import('../infrastructure/billing-event.store.js');
  await new BillingEventStore(tx).revive(tx, letters.map(eventIdOf));
}

async function listEvents(billing: OperatorBilling, status: (typeof EVENT_STATUSES)[number]): Promise<void> {
  const events = await billing.list(status, LISTED_MAX);
  if (events.length === 0) print(`No ${status} events.`);
  for (const event of events) {
    const { eventId, type, attempts, projectId, subscriptionId, code, lastError, receivedAt } = event;
    const about = [subscriptionId, projectId && `project ${projectId}`].filter(Boolean).join(' ');
    const why = code ? `  ${code}: ${lastError ?? ''}` : '';
    print(`${receivedAt.toISOString()}  ${eventId}  ${type}  ${about}  ${attempts} attempts${why}`);
  }
}

function tellChange(
  projectId: string,
  { before, after }: NonNullable<Awaited<ReturnType<OperatorBilling['grant']>>>,
  dryRun: boolean,
): void {
  const did = dryRun ? 'Would change' : 'Changed';
  print(`${did} the tier of ${projectId} from ${before} to ${after.tier} (${after.reason}).`);
}
