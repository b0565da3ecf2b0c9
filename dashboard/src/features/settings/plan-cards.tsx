import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import { domainListOptions } from '../../client/@tanstack/react-query.gen';
import { billingCheckout } from '../../client/sdk.gen';
import type {
  PricingResponse,
  ProjectResponse,
  SubscriptionStateResponse,
  TierEntryResponse,
} from '../../client/types.gen';
import type { AccessDenial } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { Segments } from '../../shared/segments';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { addedFeatures, type Interval, planPrice, yearlySaving } from './plan-features';

type Tier = TierEntryResponse['tier'];
const CARDS: Tier[] = ['lite', 'pro', 'business'];

interface PlanCardsProps {
  project: ProjectResponse;
  state: SubscriptionStateResponse;
  pricing: PricingResponse;
  refusal: AccessDenial;
  interval: Interval;
  onInterval: (interval: Interval) => void;
  /** Where a running subscription is changed. */
  openPortal: () => void;
}

/** The plans with a price, one of them recommended; and the way to one by agreement. */
export function PlanCards(props: PlanCardsProps) {
  const { project, state, pricing, refusal, interval, openPortal } = props;
  const checkout = useApiMutation({
    request: async (tier: 'pro' | 'business') =>
      (await billingCheckout({ path: { projectId: project.id }, body: { tier, interval } })).data,
    onSuccess: ({ url }) => location.assign(url),
  });
  const change = (tier: Tier) => {
    if (state.liveSubscriptions > 0 || (tier !== 'pro' && tier !== 'business')) openPortal();
    else checkout.mutate(tier);
  };
  const domains = useQuery(domainListOptions({ path: { projectId: project.id } }));
  const missing = domains.data?.target === null;
  const order = pricing.tiers.map(({ tier }) => tier);
  const current = order.indexOf(state.tier);
  const recommended = CARDS.find((tier) => order.indexOf(tier) > current);
  const tiers = pricing.tiers.filter(({ tier }) => CARDS.includes(tier));
  const saving = Math.max(0, ...tiers.map(yearlySaving));
  return (
    <section aria-labelledby="plans">
      <div className="plan-head">
        <h2 id="plans">{t('plan.all')}</h2>
        <span className="plan-saving">{t('plan.saving', { percent: saving })}</span>
        <Segments<Interval>
          label={t('plan.billed')}
          options={['month', 'year']}
          labelOf={(value) => t(`plan.intervals.${value}`)}
          value={interval}
          onChange={props.onInterval}
        />
      </div>
      <ProblemAlert error={checkout.error} />
      <div className="plan-cards">
        {tiers.map((entry, index) => {
          const { tier, name } = entry;
          const isRecommended = tier === recommended;
          const lower = tiers[index - 1];
          return (
            <article
              key={tier}
              className="card"
              aria-labelledby={`plan-${tier}`}
              data-recommended={isRecommended || undefined}
            >
              {isRecommended && <span className="plan-badge">{t('plan.recommended')}</span>}
              <h3 id={`plan-${tier}`}>
                {name}
                {tier === state.tier && <span className="pill">{t('plan.isCurrent')}</span>}
              </h3>
              <p>{t(`plan.audience.${tier as 'lite'}`)}</p>
              <PlanPrice entry={entry} interval={interval} />
              <Button
                fullWidth
                size="sm"
                variant={isRecommended ? 'filled' : 'default'}
                disabled={
                  tier === state.tier ||
                  !state.billingAvailable ||
                  refusal !== null ||
                  (tier === 'lite' && state.liveSubscriptions === 0)
                }
                loading={checkout.isPending && checkout.variables === tier}
                onClick={() => change(tier)}
              >
                {tier === state.tier ? t('plan.currentPlan') : t('plan.switchTo', { name })}
              </Button>
              <h4>{lower ? t('plan.everythingIn', { name: lower.name }) : t('plan.included')}</h4>
              <ul>
                {addedFeatures(entry, lower, missing).map((text) => (
                  <li key={text}>
                    <Check className="icon" aria-hidden />
                    <span>{text}</span>
                  </li>
                ))}
              </ul>
            </article>
          );
        })}
      </div>
      {pricing.contactUrl !== null && (
        <div className="card plan-enterprise">
          <p>
            <b>Enterprise</b> {t('plan.audience.enterprise')}
          </p>
          <Button component="a" href={pricing.contactUrl} variant="default">
            {t('plan.contact')}
          </Button>
        </div>
      )}
    </section>
  );
}

function PlanPrice({ entry, interval }: { entry: TierEntryResponse; interval: Interval }) {
  const price = planPrice(entry, interval);
  return (
    <>
      <p className="plan-price">
        <span>{price.amount}</span> {price.unit && <small>{price.unit}</small>}
      </p>
      <p className="plan-note">{price.note}</p>
    </>
  );
}
