import { NativeSelect, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { AccessFieldset, type AccessDenial } from '../../shared/access';
import { t } from '../../i18n/i18n';
import { allModes, type Mode } from './configuration';
import type { FieldsProps } from './field-props';
import { modeOptions, RegionRules } from './region-rules';

/** All values that the API accepts. */
const MONTHS = Array.from({ length: 13 }, (_, index) => String(index + 1));

/** Consent mode by region, and when to ask again. */
export function RuleFields(props: FieldsProps & { rulesRefusal: AccessDenial }) {
  const { projectId, form, change, fields, rulesRefusal } = props;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('banner.defaultMode')}
        description={t(`banner.modeTexts.${form.defaultMode}`)}
        value={form.defaultMode}
        onChange={({ currentTarget }) => {
          const mode = currentTarget.value as Mode;
          change({ defaultMode: mode, defaultModes: allModes(mode), defaultPreset: null });
        }}
        data={modeOptions()}
      />
      <Switch
        label={t('banner.honorSignal')}
        checked={form.honorGlobalPrivacyControl}
        onChange={(event) => change({ honorGlobalPrivacyControl: event.currentTarget.checked })}
      />
      <Title order={2} size="h3">
        {t('banner.rules')}
      </Title>
      <Text c="dimmed">{t('banner.rulesHint')}</Text>
      <AccessFieldset refusal={rulesRefusal} projectId={projectId}>
        <RegionRules {...props} />
      </AccessFieldset>
      <Title order={2} size="h3">
        {t('banner.reconsent')}
      </Title>
      <NativeSelect
        label={t('banner.reconsentMonths')}
        value={String(form.reconsentMonths)}
        onChange={(event) => change({ reconsentMonths: Number(event.currentTarget.value) })}
        data={MONTHS}
      />
      <TextInput
        label={t('banner.policyVersion')}
        description={t('banner.policyVersionHint')}
        value={form.policyVersion}
        error={fields['policyVersion']}
        onChange={(event) => change({ policyVersion: event.currentTarget.value })}
      />
      <Title order={2} size="h3">
        {t('banner.visits')}
      </Title>
      <Switch
        label={t('banner.siteAnalytics')}
        description={t('banner.siteAnalyticsHint')}
        checked={form.siteAnalytics ?? true}
        onChange={(event) => change({ siteAnalytics: event.currentTarget.checked })}
      />
    </Stack>
  );
}
