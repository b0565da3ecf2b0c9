import { Code, Group, Stack, Switch, Text } from '@mantine/core';
import { t } from '../../i18n/i18n';
import type { Configuration } from './configuration';

/** Whether visitors choose by service, and the ids that records, scripts and rules then name. */
export function ServiceChoice({
  form: { serviceChoice, services },
  change,
}: {
  form: Configuration;
  change: (changes: Partial<Configuration>) => void;
}) {
  return (
    <Stack gap="xs">
      <Switch
        label={t('serviceChoice.label')}
        description={t('serviceChoice.hint')}
        checked={serviceChoice}
        onChange={(event) => change({ serviceChoice: event.currentTarget.checked })}
      />
      {serviceChoice && (
        <>
          <Text c="dimmed">{t('serviceChoice.ids')}</Text>
          {services
            .filter(({ category }) => category !== 'necessary')
            .map(({ id, name }, index) => (
              <Group key={index} gap="xs">
                <Text>{name}</Text>
                {id === undefined ? <Text c="dimmed">{t('serviceChoice.unsaved')}</Text> : <Code>{id}</Code>}
              </Group>
            ))}
        </>
      )}
    </Stack>
  );
}
