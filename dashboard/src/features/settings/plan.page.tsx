import { useQuery } from '@tanstack/react-query';
import { invalidate } from '../../api/query-client';
import { billingReadOptions, pricingReadOptions } from '../../client/@tanstack/react-query.gen';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { isProduction } from '../../shared/environment';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { CurrentPlan } from './current-plan';
import { PlanComparison } from './plan-comparison';
import { TierSimulation } from './tier-simulation';

/** In production, the route that simulates a tier does not exist. */
const IN_PRODUCTION = isProduction();

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
          <PlanComparison project={project} state={state.data} pricing={pricing.data} />
          {!IN_PRODUCTION && <TierSimulation project={project} pricing={pricing.data} />}
        </>
      )}
    </Page>
  );
}
