import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { invalidate } from '../../api/query-client';
import { billingReadOptions, pricingReadOptions } from '../../client/@tanstack/react-query.gen';
import { billingPortal } from '../../client/sdk.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { isProduction } from '../../shared/environment';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { PlanCards } from './plan-cards';
import { PlanComparison } from './plan-comparison';
import type { Interval } from './plan-features';
import { PlanSummary } from './plan-summary';
import './plan.css';
import { TierSimulation } from './tier-simulation';

/** In production, the route that simulates a tier does not exist. */
const IN_PRODUCTION = isProduction();

/** The plan with its next invoice and usage, then what other plans cost and add. */
export function PlanPage() {
  const project = useProject();
  const state = useQuery(billingReadOptions({ path: { projectId: project.id } }));
  const pricing = useQuery({ ...pricingReadOptions(), staleTime: Infinity });
  const [interval, setInterval] = useState<Interval>('month');
  const refusal = checkAccess(project, { role: 'owner' });
  const portal = useApiMutation({
    request: async () => (await billingPortal({ path: { projectId: project.id } })).data,
    onSuccess: ({ url }) => location.assign(url),
  });
  const failed = state.isError ? state : pricing.isError ? pricing : null;
  const shared = state.data &&
    pricing.data && { project, state: state.data, pricing: pricing.data, refusal, interval };
  return (
    <Page
      title={t('pages.plan')}
      actions={
        state.data?.billingAvailable && (
          <Button
            variant="default"
            disabled={refusal !== null}
            loading={portal.isPending}
            onClick={() => portal.mutate(undefined)}
          >
            {t('plan.portal')}
          </Button>
        )
      }
    >
      {failed && (
        <ProblemAlert error={failed.error} retry={() => void invalidate(['billingRead', 'pricingRead'])} />
      )}
      <ProblemAlert error={portal.error} />
      {!failed && !shared && <SkeletonRows rows={8} />}
      {shared && (
        <>
          <AccessNote refusal={refusal} projectId={project.id} />
          <PlanSummary {...shared} />
          {!shared.state.billingAvailable && <Text c="dimmed">{t('plan.noBilling')}</Text>}
          <PlanCards {...shared} onInterval={setInterval} openPortal={() => portal.mutate(undefined)} />
          <PlanComparison {...shared} />
          {!IN_PRODUCTION && <TierSimulation project={project} pricing={shared.pricing} />}
        </>
      )}
    </Page>
  );
}
