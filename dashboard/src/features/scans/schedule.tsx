import { NativeSelect, Switch, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client';
import {
  scanAlertReadOptions,
  scanScheduleReadOptions,
  tierReadOptions,
} from '../../client/@tanstack/react-query.gen';
import { scanAlertSave, scanScheduleSave } from '../../client/sdk.gen';
import type { ProjectResponse, ScanAllowanceResponse, ScanScheduleResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { RelativeTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

type Frequency = ScanScheduleResponse['frequency'];
const FREQUENCIES: Frequency[] = ['off', 'weekly', 'monthly'];

/** When the site is scanned without a request, and who gets mails about it. */
export function Schedule({
  project,
  allowance,
}: {
  project: ProjectResponse;
  allowance: ScanAllowanceResponse | undefined;
}) {
  const path = { projectId: project.id };
  const { data: schedule, error } = useQuery(scanScheduleReadOptions({ path }));
  const { data: tier } = useQuery(tierReadOptions({ path }));
  const isOn = schedule !== undefined && schedule.frequency !== 'off';
  const refusal = checkAccess(project, {
    role: 'editor',
    feature: { open: tier?.features.scheduledScans ?? true, tier: 'Business' },
  });
  // Without the tier, a schedule can still be turned off.
  const mayOnlyTurnOff = refusal?.kind === 'tier' && isOn;
  const mutation = useApiMutation({
    request: async (frequency: Frequency) => (await scanScheduleSave({ path, body: { frequency } })).data,
    successMessage: t('shared.saved'),
    invalidates: ['scanScheduleRead'],
  });
  const options = mayOnlyTurnOff
    ? FREQUENCIES.filter((each) => each === 'off' || each === schedule.frequency)
    : FREQUENCIES;
  return (
    <section className="scan-schedule" aria-label={t('scans.schedule')}>
      <Title order={2}>{t('scans.schedule')}</Title>
      <ProblemAlert error={error ?? mutation.error} />
      <dl className="key-values">
        <dt>{t('scans.frequency')}</dt>
        <dd>
          <NativeSelect
            size="xs"
            aria-label={t('scans.frequency')}
            disabled={!schedule || mutation.isPending || (refusal !== null && !mayOnlyTurnOff)}
            value={mutation.variables ?? schedule?.frequency ?? 'off'}
            onChange={(event) => mutation.mutate(event.currentTarget.value as Frequency)}
            data={options.map((value) => ({ value, label: t(`scans.frequencies.${value}`) }))}
          />
        </dd>
        {schedule?.nextAt && !schedule.inactiveReason && (
          <>
            <dt>{t('scans.nextScan')}</dt>
            <dd>
              <RelativeTime at={schedule.nextAt} />
            </dd>
          </>
        )}
        {allowance && (
          <>
            <dt>{t('scans.views.pages')}</dt>
            <dd>{t('scans.upTo', { pages: allowance.pagesMax })}</dd>
            <dt>{t('scans.hosts')}</dt>
            <dd title={t('scans.hostsHint')}>
              {t('scans.hostsVerified', { verified: allowance.verifiedHosts, count: allowance.hosts })}
            </dd>
          </>
        )}
      </dl>
      {schedule?.inactiveReason && (
        <Text c="dimmed">{t(`scans.inactive.${schedule.inactiveReason.code}`)}</Text>
      )}
      {!mayOnlyTurnOff && <AccessNote refusal={refusal} projectId={project.id} what={t('scans.schedule')} />}
      <Alerts projectId={project.id} />
    </section>
  );
}

/** Whether the signed-in member gets mails about scans. */
function Alerts({ projectId }: { projectId: string }) {
  const path = { projectId };
  const { data, error } = useQuery(scanAlertReadOptions({ path }));
  const mutation = useApiMutation({
    request: async (enabled: boolean) => (await scanAlertSave({ path, body: { enabled } })).data,
    successMessage: t('shared.saved'),
    onSuccess: (saved) => queryClient.setQueryData(scanAlertReadOptions({ path }).queryKey, saved),
  });
  return (
    <>
      <ProblemAlert error={error ?? mutation.error} />
      <Switch
        label={t('scans.emailMe')}
        description={t('scans.alertsText')}
        disabled={!data}
        checked={(mutation.isPending ? mutation.variables : data?.enabled) ?? false}
        onChange={(event) => mutation.mutate(event.currentTarget.checked)}
      />
    </>
  );
}
