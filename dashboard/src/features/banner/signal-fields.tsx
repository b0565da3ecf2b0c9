import { Anchor, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { SIGNAL_TARGETS } from '../../../../src/modules/publishing/domain/signals.js';
import { CopyableCode } from '../../shared/copyable-code';
import { t } from '../../i18n/i18n';
import type { Configuration } from './configuration';
import { defaultSnippet } from './default-snippet';
import type { FieldsProps } from './field-props';
import { SIGNAL_DOCS } from './signal-docs';

const GOOGLE_OPTIONS = ['googleUrlPassthrough', 'googleAdsDataRedaction'] as const;

/** Which other systems learn the visitor's choice, and Google's options. */
export function SignalFields({ form, change, fields }: FieldsProps) {
  const { signals } = form;
  const put = (changes: Partial<Configuration['signals']>) => change({ signals: { ...signals, ...changes } });
  const snippet = defaultSnippet(signals);
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t('signals.intro')}</Text>
      <Anchor href={SIGNAL_DOCS} target="_blank" rel="noopener">
        {t('signals.docs')}
      </Anchor>
      <Title order={2} size="h3">
        {t('signals.targetsTitle')}
      </Title>
      {SIGNAL_TARGETS.map((target) => (
        <Switch
          key={target}
          label={t(`signals.targets.${target}`)}
          description={t(`signals.hints.${target}`)}
          checked={signals[target] ?? false}
          onChange={(event) => put({ [target]: event.currentTarget.checked })}
        />
      ))}
      {signals.dataLayer && (
        <TextInput
          label={t('signals.eventName')}
          value={signals.dataLayerEvent ?? ''}
          error={fields['signals.dataLayerEvent']}
          onChange={(event) => put({ dataLayerEvent: event.currentTarget.value })}
        />
      )}
      <Text c="dimmed">{t('signals.linkedIn')}</Text>
      {snippet !== null && (
        <>
          <Title order={2} size="h3">
            {t('signals.snippet')}
          </Title>
          <Text c="dimmed">{t('signals.snippetText')}</Text>
          <CopyableCode text={snippet} label={t('signals.snippet')} />
        </>
      )}
      <Title order={2} size="h3">
        {t('signals.google')}
      </Title>
      {GOOGLE_OPTIONS.map((option) => (
        <Switch
          key={option}
          label={t(`signals.${option}`)}
          description={t(`signals.${option}Hint`)}
          checked={signals[option] ?? false}
          onChange={(event) => put({ [option]: event.currentTarget.checked })}
        />
      ))}
    </Stack>
  );
}
