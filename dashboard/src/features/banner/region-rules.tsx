import { Button, Group, NativeSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { configurationPresetsOptions } from '../../client/@tanstack/react-query.gen';
import { t } from '../../i18n/i18n';
import { allModes, type Mode, MODES, type RegionRule, withEntry, withoutEntry } from './configuration';
import type { FieldsProps } from './field-props';
import { RegionCodesInput } from './region-codes-input';

export const modeOptions = () => MODES.map((value) => ({ value, label: t(`banner.modes.${value}`) }));

export function RegionRules({ projectId, form, change, fields }: FieldsProps) {
  const path = { projectId };
  const { data: presets } = useQuery({ ...configurationPresetsOptions({ path }), staleTime: Infinity });
  const rules = form.regionRules;
  const put = (regionRules: RegionRule[]) => change({ regionRules });
  return (
    <Stack gap="xs">
      {rules.map((rule, index) => (
        <Group key={index} gap="xs" align="flex-start" wrap="nowrap">
          <RegionCodesInput
            regions={rule.regions}
            label={t('banner.regionsOf', { number: index + 1 })}
            error={Object.entries(fields).find(([name]) => name.startsWith(`regionRules.${index}.`))?.[1]}
            put={(regions) => put(withEntry(rules, index, { ...rule, regions }))}
          />
          <NativeSelect
            label={t('banner.rule')}
            value={rule.mode}
            onChange={(event) =>
              put(withEntry(rules, index, ruleOf(rule.regions, event.currentTarget.value as Mode)))
            }
            data={modeOptions()}
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
        <Button variant="default" onClick={() => put([...rules, ruleOf(['EU'], 'opt_in')])}>
          {t('banner.addRule')}
        </Button>
        <Button
          variant="default"
          // Disabled until the presets have loaded.
          disabled={!presets}
          onClick={() =>
            presets &&
            put([
              ...rules,
              ...presets.regionPresets.map(({ id, regions, versions }) => ({
                ...ruleOf(regions, 'opt_in'),
                preset: { id, version: versions.at(-1)?.version ?? 1 },
              })),
            ])
          }
        >
          {t('banner.addPresets')}
        </Button>
      </Group>
    </Stack>
  );
}

const ruleOf = (regions: string[], mode: Mode): RegionRule => ({ regions, mode, modes: allModes(mode) });
