import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { domainListOptions } from '../../client/@tanstack/react-query.gen';
import { billingCheckout } from '../../client/sdk.gen';
import type {
  PricingResponse,
  ProjectResponse,
  SubscriptionStateResponse,
  TierEntryResponse,
} from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { Segments } from '../../shared/segments';
import { StatusLabel } from '../../shared/status-label';
import { usePhone } from '../../shared/use-phone';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import './settings.css';
import { FEATURES, type Interval, monthlyPrice } from './plan-features';

export function PlanComparison({
  project,
  state,
  pricing,
}: {
  project: ProjectResponse;
  state: SubscriptionStateResponse;
  pricing: PricingResponse;
}) {
  const [interval, setInterval] = useState<Interval>('month');
  const [shownTier, setShownTier] = useState<TierEntryResponse['tier']>(state.tier);
  const isPhone = usePhone();
  // A phone has room for one plan.
  const tiers = isPhone ? pricing.tiers.filter(({ tier }) => tier === shownTier) : pricing.tiers;
  const refusal = checkAccess(project, { role: 'owner' });
  const domains = useQuery(domainListOptions({ path: { projectId: project.id } }));
  const checkout = useApiMutation({
    request: async (tier: 'pro' | 'business') =>
      (await billingCheckout({ path: { projectId: project.id }, body: { tier, interval } })).data,
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Section title={t('plan.all')}>
      <Segments<Interval>
        label={t('plan.billed')}
        options={['month', 'year']}
        labelOf={(value) => t(`plan.intervals.${value}`)}
        value={interval}
        onChange={setInterval}
      />
      {isPhone && (
        <Segments<TierEntryResponse['tier']>
          label={t('plan.tier')}
          options={pricing.tiers.map(({ tier }) => tier)}
          labelOf={(value) => pricing.tiers.find(({ tier }) => tier === value)?.name ?? value}
          value={shownTier}
          onChange={setShownTier}
        />
      )}
      {!state.billingAvailable && <Text c="dimmed">{t('plan.noBilling')}</Text>}
      <ProblemAlert error={checkout.error} />
      <AccessFieldset refusal={refusal} projectId={project.id}>
        <div className="rows plan-list" role="group" aria-label={t('plan.all')} tabIndex={0}>
          <table aria-label={t('plan.all')}>
            <thead>
              <tr>
                <th scope="col">{t('plan.feature')}</th>
                {tiers.map(({ tier, name }) => (
                  <th key={tier} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <FeatureRow
                title={t('plan.price')}
                tiers={tiers}
                cell={(tier) => monthlyPrice(tier, interval)}
              />
              {FEATURES.map(([name, cell]) => (
                <FeatureRow
                  key={name}
                  title={t(`plan.features.${name}`)}
                  note={name === 'customDomains' && domains.data?.target === null && t('plan.notSetUp')}
                  tiers={tiers}
                  cell={cell}
                />
              ))}
              <FeatureRow
                title={t('plan.select')}
                tiers={tiers}
                cell={({ tier, name }) => {
                  if (tier === state.tier)
                    return <StatusLabel status="good">{t('plan.currentPlan')}</StatusLabel>;
                  if (tier !== 'pro' && tier !== 'business') return '';
                  return (
                    <Button
                      size="compact-xs"
                      disabled={!state.billingAvailable}
                      loading={checkout.isPending}
                      onClick={() => checkout.mutate(tier)}
                    >
                      {t('plan.switchTo', { name })}
                    </Button>
                  );
                }}
              />
            </tbody>
          </table>
        </div>
      </AccessFieldset>
    </Section>
  );
}

function FeatureRow({
  title,
  note,
  tiers,
  cell,
}: {
  title: string;
  note?: React.ReactNode;
  tiers: TierEntryResponse[];
  cell: (tier: TierEntryResponse) => React.ReactNode;
}) {
  return (
    <tr>
      <th scope="row">
        {title}
        {note && (
          <Text c="dimmed" fz="xs">
            {note}
          </Text>
        )}
      </th>
      {tiers.map((tier) => (
        <td key={tier.tier}>{cell(tier)}</td>
      ))}
    </tr>
  );
}
