import { NativeSelect, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { RegionRules, type RegionRulesProps } from './region-rules';
import './region-rules.css';

/** All values that the API accepts. */
const MONTHS = Array.from({ length: 13 }, (_, index) => String(index + 1));

/** Consent modes by region and category, and when to ask again. */
export function RuleFields(props: RegionRulesProps) {
  const { form, change, fields } = props;
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t('rules.intro')}</Text>
      <RegionRules {...props} />
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
