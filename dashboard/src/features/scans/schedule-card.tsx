import { NativeSelect, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { scanScheduleReadOptions, tierReadOptions } from '../../client/@tanstack/react-query.gen';
import { scanScheduleSave } from '../../client/sdk.gen';
import type { ProjectResponse, ScanScheduleResponse } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { Section } from '../../shared/section';
import { RelativeTime } from '../../shared/timestamps';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

type Frequency = ScanScheduleResponse['frequency'];
const FREQUENCIES: Frequency[] = ['off', 'weekly', 'monthly'];

/** When the site is scanned without a request. */
export function ScheduleCard({ project }: { project: ProjectResponse }) {
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
  const select = (
    <NativeSelect
      label={t('scans.frequency')}
      maw={320}
      disabled={!schedule || mutation.isPending}
      value={mutation.variables ?? schedule?.frequency ?? 'off'}
      onChange={(event) => mutation.mutate(event.currentTarget.value as Frequency)}
      data={options.map((value) => ({ value, label: t(`scans.frequencies.${value}`) }))}
    />
  );
  return (
    <Section title={t('scans.schedule')} text={t('scans.scheduleText')}>
      <ProblemAlert error={error ?? mutation.error} />
      {mayOnlyTurnOff ? (
        select
      ) : (
        <AccessFieldset refusal={refusal} projectId={project.id}>
          {select}
        </AccessFieldset>
      )}
      {schedule && <NextScan schedule={schedule} />}
    </Section>
  );
}

function NextScan({ schedule: { nextAt, inactiveReason } }: { schedule: ScanScheduleResponse }) {
  if (inactiveReason) return <Text c="dimmed">{t(`scans.inactive.${inactiveReason.code}`)}</Text>;
  if (nextAt === null) return null;
  return (
    <Text c="dimmed">
      {t('scans.nextScan')} <RelativeTime at={nextAt} />
    </Text>
  );
}
