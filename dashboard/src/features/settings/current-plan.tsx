import { Button, Stack, Text } from '@mantine/core';
import { billingPortal } from '../../client/sdk.gen';
import type { PricingResponse, ProjectResponse, SubscriptionStateResponse } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';

export function CurrentPlan({
  project,
  state,
  pricing,
}: {
  project: ProjectResponse;
  state: SubscriptionStateResponse;
  pricing: PricingResponse;
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
