import { Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client';
import { scanAlertReadOptions } from '../../client/@tanstack/react-query.gen';
import { scanAlertSave } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Whether the signed-in member gets mails about scans. */
export function AlertsCard({ projectId }: { projectId: string }) {
  const path = { projectId };
  const { data, error } = useQuery(scanAlertReadOptions({ path }));
  const mutation = useApiMutation({
    request: async (enabled: boolean) => (await scanAlertSave({ path, body: { enabled } })).data,
    successMessage: t('shared.saved'),
    onSuccess: (saved) => queryClient.setQueryData(scanAlertReadOptions({ path }).queryKey, saved),
  });
  return (
    <Section title={t('scans.alerts')} text={t('scans.alertsText')}>
      <ProblemAlert error={error ?? mutation.error} />
      <Switch
        label={t('scans.emailMe')}
        disabled={!data}
        checked={(mutation.isPending ? mutation.variables : data?.enabled) ?? false}
        onChange={(event) => mutation.mutate(event.currentTarget.checked)}
      />
    </Section>
  );
}
