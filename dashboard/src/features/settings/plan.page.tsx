import { Button, Group, NativeSelect, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/query-client';
import { billingReadOptions, pricingReadOptions } from '../../client/@tanstack/react-query.gen';
import { billingCheckout, billingPortal, simulateTierSimulate } from '../../client/sdk.gen';
import type { PricingDto, ProjectDto, SubscriptionStateDto, TierEntryDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { SkeletonRows } from '../../shared/infinite-table';
import { formatMoney } from '../../shared/format';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';

type Interval = 'month' | 'year';

/** There no tier can be simulated: the route does not exist. */
const IN_PRODUCTION =
  document.querySelector<HTMLMetaElement>('meta[name=environment]')?.content === 'production';

/** Everything that a tier decides. */
const DECIDED_BY_TIER = [
  'projectRead',
  'projectList',
  'tierRead',
  'billingRead',
  'forwardingRead',
  'configurationRead',
] as const;

export function PlanPage() {
  const project = useProject();
  const state = useQuery(billingReadOptions({ path: { projectId: project.id } }));
  const pricing = useQuery({ ...pricingReadOptions(), staleTime: Infinity });
  const failed = state.isError ? state : pricing.isError ? pricing : null;
  return (
    <Page title={t('pages.plan')}>
      {failed && (
        <ProblemAlert error={failed.error} retry={() => void invalidate(['billingRead', 'pricingRead'])} />
      )}
      {!failed && !(state.data && pricing.data) && <SkeletonRows rows={8} />}
      {state.data && pricing.data && (
        <>
          <CurrentPlan project={project} state={state.data} pricing={pricing.data} />
          <Plans project={project} state={state.data} pricing={pricing.data} />
          {!IN_PRODUCTION && <Simulation project={project} pricing={pricing.data} />}
        </>
      )}
    </Page>
  );
}

function CurrentPlan({
  project,
  state,
  pricing,
}: {
  project: ProjectDto;
  state: SubscriptionStateDto;
  pricing: PricingDto;
}) {
  const name = pricing.tiers.find(({ tier }) => tier === state.tier)?.name ?? state.tier;
  const { subscription } = state;
  const portal = useApiMutation({
    request: async () => (await billingPortal({ path: { projectId: project.id } })).data,
    onSuccess: ({ url }) => location.assign(url),
  });
  const refusal = checkAccess(project, { role: 'owner' });
  return (
    <Section title={t('plan.current', { name })}>
      <Text component="div">
        <StatusLabel status={state.graceEndsAt ? 'waiting' : 'good'}>
          {t(`tierReasons.${state.reason}`)}
        </StatusLabel>
      </Text>
      <dl className="facts">
        {state.graceEndsAt && (
          <>
            <dt>{t('plan.graceEnds')}</dt>
            <dd>
              <AbsoluteTime at={state.graceEndsAt} />
            </dd>
          </>
        )}
        {subscription?.currentPeriodEnd && (
          <>
            <dt>{subscription.cancelAt ? t('plan.ends') : t('plan.renews')}</dt>
            <dd>
              <AbsoluteTime at={subscription.cancelAt ?? subscription.currentPeriodEnd} />
            </dd>
          </>
        )}
        {subscription?.interval && (
          <>
            <dt>{t('plan.billed')}</dt>
            <dd>{t(`plan.intervals.${subscription.interval}`)}</dd>
          </>
        )}
      </dl>
      {state.liveSubscriptions > 1 && <StatusLabel status="bad">{t('plan.billedTwice')}</StatusLabel>}
      {state.billingAvailable && (
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <Stack gap="sm" align="flex-start">
            <Button variant="default" loading={portal.isPending} onClick={() => portal.mutate(undefined)}>
              {t('plan.portal')}
            </Button>
            <ProblemAlert error={portal.error} />
          </Stack>
        </AccessFieldset>
      )}
    </Section>
  );
}

function Plans({
  project,
  state,
  pricing,
}: {
  project: ProjectDto;
  state: SubscriptionStateDto;
  pricing: PricingDto;
}) {
  const [interval, setInterval] = useState<Interval>('month');
  const refusal = checkAccess(project, { role: 'owner' });
  const checkout = useApiMutation({
    request: async (tier: 'pro' | 'business') =>
      (await billingCheckout({ path: { projectId: project.id }, body: { tier, interval } })).data,
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Section title={t('plan.all')}>
      <SegmentedControl
        aria-label={t('plan.billed')}
        value={interval}
        onChange={(value) => setInterval(value as Interval)}
        data={(['month', 'year'] as const).map((value) => ({ value, label: t(`plan.intervals.${value}`) }))}
        style={{ alignSelf: 'flex-start' }}
      />
      {!state.billingAvailable && <Text c="dimmed">{t('plan.noBilling')}</Text>}
      <ProblemAlert error={checkout.error} />
      <AccessFieldset refusal={refusal} projectId={project.id}>
        <div className="rows" role="group" aria-label={t('plan.all')} tabIndex={0}>
          <table aria-label={t('plan.all')}>
            <thead>
              <tr>
                <th scope="col">{t('plan.feature')}</th>
                {pricing.tiers.map(({ tier, name }) => (
                  <th key={tier} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <FeatureRow
                title={t('plan.price')}
                tiers={pricing.tiers}
                cell={(tier) => priceOf(tier, interval)}
              />
              {FEATURES.map(([name, cell]) => (
                <FeatureRow key={name} title={titleOf(name, pricing)} tiers={pricing.tiers} cell={cell} />
              ))}
              <FeatureRow
                title={t('plan.select')}
                tiers={pricing.tiers}
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
  tiers,
  cell,
}: {
  title: string;
  tiers: TierEntryDto[];
  cell: (tier: TierEntryDto) => React.ReactNode;
}) {
  return (
    <tr>
      <th scope="row">{title}</th>
      {tiers.map((tier) => (
        <td key={tier.tier}>{cell(tier)}</td>
      ))}
    </tr>
  );
}

const yesNo = (open: boolean) => (
  <StatusLabel status={open ? 'good' : 'off'}>{open ? t('list.yes') : t('list.no')}</StatusLabel>
);

type Feature = keyof TierEntryDto['features'] | keyof TierEntryDto['limits'];

/** A feature that does not exist yet says so. */
function titleOf(name: Feature, { planned }: PricingDto): string {
  const title = t(`plan.features.${name}`);
  return planned.some((each) => each === name) ? t('plan.planned', { feature: title }) : title;
}

const FEATURES: [Feature, (tier: TierEntryDto) => React.ReactNode][] = [
  ['consentForwarding', ({ features }) => yesNo(features.consentForwarding)],
  ['export', ({ features }) => yesNo(features.export)],
  ['analytics', ({ features }) => yesNo(features.analytics)],
  [
    'geoTargeting',
    ({ features }) => (features.geoTargeting === 'full' ? yesNo(true) : t('plan.features.globalOnly')),
  ],
  ['customDomains', ({ features }) => yesNo(features.customDomains)],
  ['scheduledScans', ({ features }) => yesNo(features.scheduledScans)],
  ['pagesPerScan', ({ limits }) => limits.pagesPerScan ?? t('plan.contactUs')],
];

function priceOf({ price }: TierEntryDto, interval: Interval): string {
  const chosen = interval === 'month' ? price.monthly : price.yearly;
  if (!chosen) return t('plan.contactUs');
  if (chosen.perMonth === 0) return t('plan.free');
  return t('plan.perMonth', { amount: formatMoney(chosen.perMonth, price.currency) });
}

/** Any tier, without paying. */
function Simulation({ project, pricing }: { project: ProjectDto; pricing: PricingDto }) {
  const [tier, setTier] = useState<ProjectDto['tier']>(project.tier);
  const mutation = useApiMutation({
    request: async () =>
      (await simulateTierSimulate({ path: { projectId: project.id }, body: { tier } })).data,
    successMessage: t('shared.saved'),
    invalidates: DECIDED_BY_TIER,
  });
  return (
    <Section title={t('plan.simulate')} text={t('plan.simulateText')}>
      <AccessFieldset refusal={checkAccess(project, { role: 'editor' })} projectId={project.id}>
        <Group align="flex-end" gap="sm">
          <NativeSelect
            label={t('plan.tier')}
            value={tier}
            onChange={(event) => setTier(event.currentTarget.value as typeof tier)}
            data={pricing.tiers.map(({ tier: value, name }) => ({ value, label: name }))}
          />
          <Button
            variant="default"
            size="sm"
            loading={mutation.isPending}
            onClick={() => mutation.mutate(undefined)}
          >
            {t('plan.simulateNow')}
          </Button>
        </Group>
      </AccessFieldset>
      <ProblemAlert error={mutation.error} />
    </Section>
  );
}
