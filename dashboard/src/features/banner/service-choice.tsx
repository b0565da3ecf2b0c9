import { Group, Switch, Text } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { CopyId } from '../../shared/copy-id';
import type { Configuration, SiteService } from './configuration';

/** Whether visitors choose by service. */
export function ServiceChoice({
  form: { serviceChoice },
  change,
}: {
  form: Configuration;
  change: (changes: Partial<Configuration>) => void;
}) {
  return (
    <Switch
      label={t('serviceChoice.label')}
      description={
        serviceChoice ? `${t('serviceChoice.hint')} ${t('serviceChoice.ids')}` : t('serviceChoice.hint')
      }
      checked={serviceChoice}
      onChange={(event) => change({ serviceChoice: event.currentTarget.checked })}
    />
  );
}

/** The id that records, scripts and rules name. */
export function ServiceId({ service: { id } }: { service: SiteService }) {
  return (
    <Group gap={4}>
      <Text c="dimmed" fz={12}>
        {t('serviceChoice.id')}
      </Text>
      {id === undefined ? (
        <Text c="dimmed" fz={12}>
          {t('serviceChoice.unsaved')}
        </Text>
      ) : (
        <CopyId id={id} whole />
      )}
    </Group>
  );
}
