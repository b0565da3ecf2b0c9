import { Button, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n';
import {
  type BlockingRule,
  CATEGORIES,
  type Configuration,
  type SiteService,
  withEntry,
  withoutEntry,
} from './configuration';
import type { FieldsProps } from './field-props';

const NEW_RULE: BlockingRule = { host: '', path: null, category: 'marketing' };

/** Which requests wait for consent. */
export function BlockingFields(props: FieldsProps) {
  const { form, change } = props;
  const { blocking } = form;
  const put = (changes: Partial<Configuration['blocking']>) =>
    change({ blocking: { ...blocking, ...changes } });
  const rules = blocking.rules ?? [];
  return (
    <Stack gap="sm">
      <Switch
        label={t('banner.blocking.enabled')}
        description={t('banner.blocking.hint')}
        checked={blocking.enabled ?? false}
        onChange={(event) => put({ enabled: event.currentTarget.checked })}
      />
      {rules.map((rule, index) => (
        <RuleRow
          key={index}
          {...{ rule, index, fields: props.fields }}
          services={form.serviceChoice ? form.services : []}
          put={(changes) => put({ rules: withEntry(rules, index, { ...rule, ...changes }) })}
          remove={() => put({ rules: withoutEntry(rules, index) })}
          moveUp={() => {
            const others = withoutEntry(rules, index);
            put({ rules: [...others.slice(0, index - 1), rule, ...others.slice(index - 1)] });
          }}
        />
      ))}
      <div>
        <Button variant="default" onClick={() => put({ rules: [...rules, NEW_RULE] })}>
          {t('banner.blocking.add')}
        </Button>
      </div>
    </Stack>
  );
}

function RuleRow({
  rule,
  services,
  index,
  fields,
  put,
  remove,
  moveUp,
}: {
  rule: BlockingRule;
  /** That a rule may name: none where visitors choose by category. */
  services: SiteService[];
  index: number;
  fields: FieldsProps['fields'];
  put: (changes: Partial<BlockingRule>) => void;
  remove: () => void;
  moveUp: () => void;
}) {
  const at = `blocking.rules.${index}`;
  const number = { number: index + 1 };
  const named = services.flatMap(({ id, name, category }) =>
    // A service gets its id when it is saved.
    id !== undefined && category === rule.category && category !== 'necessary'
      ? [{ value: id, label: name }]
      : [],
  );
  if (rule.service && !named.some(({ value }) => value === rule.service))
    named.push({ value: rule.service, label: rule.service });
  return (
    <Stack gap={4}>
      <Group gap="xs" align="flex-start" grow preventGrowOverflow={false}>
        <TextInput
          label={t('banner.blocking.host')}
          placeholder="tracker.example.com"
          value={rule.host}
          error={fields[`${at}.host`]}
          onChange={(event) => put({ host: event.currentTarget.value })}
        />
        <TextInput
          label={t('banner.blocking.path')}
          description={t('banner.blocking.pathHint')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={rule.path ?? ''}
          error={fields[`${at}.path`]}
          onChange={(event) => put({ path: event.currentTarget.value || null })}
        />
        <NativeSelect
          label={t('banner.category')}
          value={rule.category}
          onChange={(event) =>
            put({
              category: event.currentTarget.value as BlockingRule['category'],
              // It is a service of the former category.
              ...(rule.service && { service: null }),
            })
          }
          data={[
            { value: 'necessary', label: t('banner.necessary') },
            ...CATEGORIES.map((value) => ({ value, label: t(`categories.${value}`) })),
          ]}
        />
        {named.length > 0 && (
          <NativeSelect
            label={t('serviceChoice.ruleService')}
            value={rule.service ?? ''}
            error={fields[`${at}.service`]}
            onChange={(event) => put({ service: event.currentTarget.value || null })}
            data={[{ value: '', label: t('serviceChoice.wholeCategory') }, ...named]}
          />
        )}
      </Group>
      <Group gap="xs">
        <Button
          variant="subtle"
          aria-label={t('banner.blocking.moveUp', number)}
          disabled={index === 0}
          onClick={moveUp}
        >
          ↑
        </Button>
        <Button variant="subtle" aria-label={t('banner.blocking.remove', number)} onClick={remove}>
          {t('banner.remove')}
        </Button>
      </Group>
    </Stack>
  );
}
