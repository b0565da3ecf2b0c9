import { Button, Group, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { simulateTierSimulate } from '../../client/sdk.gen';
import type { PricingResponse, ProjectResponse } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Queries whose results depend on the tier. */
const TIER_DEPENDENT = [
  'projectRead',
  'projectList',
  'tierRead',
  'billingRead',
  'forwardingRead',
  'configurationRead',
  'scanScheduleRead',
] as const;

/** Switches the project to any tier without payment. */
export function TierSimulation({ project, pricing }: { project: ProjectResponse; pricing: PricingResponse }) {
  const [tier, setTier] = useState<ProjectResponse['tier']>(project.tier);
  const mutation = useApiMutation({
    request: async () =>
      (await simulateTierSimulate({ path: { projectId: project.id }, body: { tier } })).data,
    successMessage: t('shared.saved'),
    invalidates: TIER_DEPENDENT,
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
