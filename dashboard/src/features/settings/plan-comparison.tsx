import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { domainListOptions } from '../../client/@tanstack/react-query.gen';
import type {
  PricingResponse,
  ProjectResponse,
  SubscriptionStateResponse,
  TierEntryResponse,
} from '../../client/types.gen';
import { Section } from '../../shared/section';
import { Segments } from '../../shared/segments';
import { usePhone } from '../../shared/use-phone';
import { t } from '../../i18n/i18n';
import './settings.css';
import { FEATURES, type Interval, monthlyPrice } from './plan-features';

/** All plans side by side. */
export function PlanComparison(props: {
  project: ProjectResponse;
  state: SubscriptionStateResponse;
  pricing: PricingResponse;
  interval: Interval;
}) {
  const { project, state, pricing, interval } = props;
  const [shownTier, setShownTier] = useState<TierEntryResponse['tier']>(state.tier);
  const isPhone = usePhone();
  // A plan by agreement requires a contact.
  const offered = pricing.tiers.filter(
    ({ tier, price }) => price.monthly !== null || pricing.contactUrl !== null || tier === state.tier,
  );
  // A phone has room for one plan.
  const tiers = isPhone ? offered.filter(({ tier }) => tier === shownTier) : offered;
  const domains = useQuery(domainListOptions({ path: { projectId: project.id } }));
  return (
    <Section title={t('plan.compare')}>
      {isPhone && (
        <Segments<TierEntryResponse['tier']>
          label={t('plan.tier')}
          options={offered.map(({ tier }) => tier)}
          labelOf={(value) => pricing.tiers.find(({ tier }) => tier === value)?.name ?? value}
          value={shownTier}
          onChange={setShownTier}
        />
      )}
      <div className="rows plan-list" role="group" aria-label={t('plan.compare')} tabIndex={0}>
        <table aria-label={t('plan.compare')}>
          <thead>
            <tr>
              <th scope="col">{t('plan.feature')}</th>
              {tiers.map(({ tier, name }) => (
                <th key={tier} scope="col">
                  {name} {tier === state.tier && <span className="pill">{t('plan.isCurrent')}</span>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <FeatureRow title={t('plan.price')} tiers={tiers} cell={(tier) => monthlyPrice(tier, interval)} />
            {FEATURES.map(([name, cell]) => (
              <FeatureRow
                key={name}
                title={t(`plan.features.${name}`)}
                note={name === 'customDomains' && domains.data?.target === null && t('plan.notSetUp')}
                tiers={tiers}
                cell={cell}
              />
            ))}
          </tbody>
        </table>
      </div>
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
