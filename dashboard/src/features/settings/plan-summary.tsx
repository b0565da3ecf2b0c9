import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { scanListOptions } from '../../client/@tanstack/react-query.gen';
import type { PricingResponse, ProjectResponse, SubscriptionStateResponse } from '../../client/types.gen';
import { formatMoney, formatNumber } from '../../shared/format';
import { StatusLabel } from '../../shared/status-label';
import { dateOf } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import type { Interval } from './plan-features';

const DAY_MS = 24 * 60 * 60_000;
const SCANS_READ = 100;

interface PlanSummaryProps {
  project: ProjectResponse;
  state: SubscriptionStateResponse;
  pricing: PricingResponse;
}

/** The plan, the next invoice and the usage, side by side. */
export function PlanSummary({ project, state, pricing }: PlanSummaryProps) {
  const { zone } = useZone();
  const plan = pricing.tiers.find(({ tier }) => tier === state.tier);
  const { subscription } = state;
  const dayOf = (at: string) => dateOf(new Date(at), zone, locale);
  const end = subscription?.cancelAt ?? subscription?.expiresAt;
  const invoiceAt = end ? null : subscription?.currentPeriodEnd;
  const invoice = plan && subscription?.interval ? invoiceOf(plan.price, subscription.interval) : null;
  return (
    <section className="card plan-summary" aria-label={t('plan.current', { name: plan?.name ?? state.tier })}>
      <div>
        <h2>{t('plan.currentPlan')}</h2>
        <p className="plan-figure">{plan?.name ?? state.tier}</p>
        <StatusLabel status={state.graceEndsAt ? 'waiting' : 'good'}>
          <span>{t(`tierReasons.${state.reason}`)}</span>
        </StatusLabel>
        {state.graceEndsAt && <p>{t('plan.graceEndsOn', { day: dayOf(state.graceEndsAt) })}</p>}
        {end && <p>{t('plan.endsOn', { day: dayOf(end) })}</p>}
        {state.liveSubscriptions > 1 && (
          <StatusLabel status="bad">
            <span>{t('plan.billedTwice')}</span>
          </StatusLabel>
        )}
      </div>
      <div>
        <h2>{t('plan.nextInvoice')}</h2>
        <p className="plan-figure">{invoiceAt && invoice !== null ? invoice : t('plan.noInvoice')}</p>
        <p>
          {invoiceAt && subscription?.interval
            ? t('plan.invoiceOn', {
                day: dayOf(invoiceAt),
                interval: t(`plan.intervals.${subscription.interval}`),
              })
            : t('plan.noInvoiceText')}
        </p>
      </div>
      <Usage project={project} plan={plan} />
    </section>
  );
}

function invoiceOf(price: PricingResponse['tiers'][number]['price'], interval: Interval): string | null {
  const chosen = interval === 'month' ? price.monthly?.perMonth : price.yearly?.perYear;
  return chosen === undefined ? null : formatMoney(chosen, price.currency);
}

/** The limits of the plan, and how much of them is used. */
function Usage({
  project,
  plan,
}: {
  project: ProjectResponse;
  plan: PricingResponse['tiers'][number] | undefined;
}) {
  const { now } = useZone();
  const query = { path: { projectId: project.id }, query: { limit: SCANS_READ } };
  const scans = useQuery(scanListOptions(query)).data?.items;
  const since = now.getTime() - DAY_MS;
  const today = scans?.filter(
    ({ origin, createdAt }) => origin === 'manual' && Date.parse(createdAt) >= since,
  ).length;
  const largest = scans && Math.max(0, ...scans.map(({ pages }) => pages.visited));
  const { pagesPerScan = null, scansPerDay = null } = plan?.limits ?? {};
  return (
    <div>
      <h2>{t('plan.usage')}</h2>
      <Meter title={t('plan.largestScan')} used={largest} max={pagesPerScan} />
      <Meter title={t('plan.scansToday')} used={today} max={scansPerDay} />
      <p className="plan-usage">
        <span>{t('plan.notLimited')}</span>
        <span>{t('plan.noLimit')}</span>
      </p>
    </div>
  );
}

function Meter({ title, used, max }: { title: ReactNode; used: number | undefined; max: number | null }) {
  return (
    <div className="plan-meter">
      <p className="plan-usage">
        <span>{title}</span>
        <b>{max === null ? formatNumber(used ?? 0) : t('plan.usedOf', { used: used ?? 0, max })}</b>
      </p>
      {max !== null && <meter min={0} max={max} value={Math.min(used ?? 0, max)} aria-hidden />}
    </div>
  );
}
