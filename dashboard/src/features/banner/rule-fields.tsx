import { Button, Group, NativeSelect, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { configurationPresetsOptions } from '../../client/@tanstack/react-query.gen';
import { AccessFieldset, type AccessDenial } from '../../shared/access';
import { t } from '../../i18n/i18n';
import { type Mode, MODES, type RegionRule, withEntry, withoutEntry } from './configuration';
import type { FieldsProps } from './text-fields';

/** Up to what the service takes. */
const MONTHS = Array.from({ length: 13 }, (_, index) => String(index + 1));

const modes = () => MODES.map((value) => ({ value, label: t(`banner.modes.${value}`) }));

/** What holds where, and when a choice is asked for again. */
export function RuleFields(props: FieldsProps & { rulesRefusal: AccessDenial }) {
  const { projectId, form, change, fields, rulesRefusal } = props;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={t('banner.defaultMode')}
        description={t(`banner.modeTexts.${form.defaultMode}`)}
        value={form.defaultMode}
        onChange={(event) => change({ defaultMode: event.currentTarget.value as Mode })}
        data={modes()}
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
        <Rules {...props} />
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
      <TextInput
        label={t('banner.ownPolicyUrl')}
        type="url"
        placeholder="https://"
        value={form.policyUrl ?? ''}
        error={fields['policyUrl']}
        onChange={(event) => change({ policyUrl: event.currentTarget.value || null })}
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

function Rules({ projectId, form, change, fields }: FieldsProps) {
  const path = { projectId };
  const { data: presets } = useQuery({ ...configurationPresetsOptions({ path }), staleTime: Infinity });
  const rules = form.regionRules;
  const put = (regionRules: RegionRule[]) => change({ regionRules });
  return (
    <Stack gap="xs">
      {rules.map((rule, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <Regions
            regions={rule.regions}
            label={t('banner.regionsOf', { number: index + 1 })}
            error={Object.entries(fields).find(([name]) => name.startsWith(`regionRules.${index}.`))?.[1]}
            put={(regions) => put(withEntry(rules, index, { ...rule, regions }))}
          />
          <NativeSelect
            label={t('banner.rule')}
            value={rule.mode}
            onChange={(event) =>
              put(withEntry(rules, index, { ...rule, mode: event.currentTarget.value as Mode }))
            }
            data={modes()}
          />
          <Button
            variant="subtle"
            mt={24}
            aria-label={t('banner.moveUp', { number: index + 1 })}
            disabled={index === 0}
            onClick={() => {
              const others = withoutEntry(rules, index);
              put([...others.slice(0, index - 1), rule, ...others.slice(index - 1)]);
            }}
          >
            ↑
          </Button>
          <Button
            variant="subtle"
            mt={24}
            aria-label={t('banner.removeRule', { number: index + 1 })}
            onClick={() => put(withoutEntry(rules, index))}
          >
            {t('banner.remove')}
          </Button>
        </Group>
      ))}
      <Group gap="xs" aria-busy={!presets}>
        <Button variant="default" onClick={() => put([...rules, { regions: ['EU'], mode: 'opt_in' }])}>
          {t('banner.addRule')}
        </Button>
        {(['euUkCh', 'usStates'] as const).map((name) => (
          <Button
            key={name}
            variant="default"
            // A click ahead of their arrival would do nothing.
            disabled={!presets}
            onClick={() => presets && put([...rules, ...presets.regionRules[name]])}
          >
            {t(`banner.presets.${name}`)}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}

/** Codes with commas between them, taken over as they are typed; what is no code the API refuses by its name. */
function Regions(props: {
  regions: string[];
  label: string;
  error: string | undefined;
  put: (regions: string[]) => void;
}) {
  const told = props.regions.join(', ');
  const [typed, setTyped] = useState(told);
  const [known, setKnown] = useState(told);
  if (known !== told) {
    setKnown(told);
    if (codesOf(typed).join(', ') !== told) setTyped(told);
  }
  return (
    <TextInput
      flex={1}
      label={props.label}
      placeholder="DE, US-CA"
      value={typed}
      error={props.error}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        props.put(codesOf(event.currentTarget.value));
      }}
    />
  );
}

const codesOf = (typed: string): string[] => [
  ...new Set(
    typed
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
  ),
];
