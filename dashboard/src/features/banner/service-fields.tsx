import { Button, Group, NativeSelect, Paper, Stack, TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { CATEGORIES, type SiteService, withEntry, withoutEntry } from './configuration';
import { ServiceId } from './service-choice';

export function ServiceFields({
  service,
  at,
  fields,
  hasId,
  put,
  remove,
}: {
  service: SiteService;
  at: string;
  fields: Readonly<Record<string, string>>;
  /** Whether visitors choose it by its id. */
  hasId: boolean;
  put: (changes: Partial<SiteService>) => void;
  remove: () => void;
}) {
  const cookies = service.cookies ?? [];
  const name = service.name || t('banner.newService');
  return (
    <Paper withBorder p="sm" component="section" aria-label={name}>
      <Stack gap="xs">
        <Group gap="xs" grow>
          <TextInput
            label={t('banner.serviceName')}
            value={service.name}
            error={fields[`${at}.name`]}
            onChange={(event) => put({ name: event.currentTarget.value })}
          />
          <TextInput
            label={t('banner.provider')}
            value={service.provider}
            error={fields[`${at}.provider`]}
            onChange={(event) => put({ provider: event.currentTarget.value })}
          />
        </Group>
        <Group gap="xs" align="flex-end" grow preventGrowOverflow={false}>
          <NativeSelect
            label={t('banner.category')}
            value={service.category}
            onChange={(event) => put({ category: event.currentTarget.value as SiteService['category'] })}
            data={[
              { value: 'necessary', label: t('banner.necessary') },
              ...CATEGORIES.map((value) => ({ value, label: t(`categories.${value}`) })),
            ]}
          />
          <TextInput
            label={t('banner.policyUrl')}
            type="url"
            placeholder="https://"
            value={service.policyUrl ?? ''}
            error={fields[`${at}.policyUrl`]}
            onChange={(event) => put({ policyUrl: event.currentTarget.value || null })}
          />
        </Group>
        {hasId && <ServiceId service={service} />}
        {cookies.map((cookie, index) => (
          <Group key={index} gap="xs" align="flex-start" grow preventGrowOverflow={false}>
            {(['name', 'duration', 'purpose'] as const).map((member) => (
              <TextInput
                key={member}
                label={t(`banner.cookie.${member}`)}
                value={cookie[member]}
                error={fields[`${at}.cookies.${index}.${member}`]}
                onChange={(event) =>
                  put({
                    cookies: withEntry(cookies, index, { ...cookie, [member]: event.currentTarget.value }),
                  })
                }
              />
            ))}
            <Button
              variant="subtle"
              size="sm"
              mt={24}
              aria-label={t('banner.removeCookie', { name: cookie.name })}
              onClick={() => put({ cookies: withoutEntry(cookies, index) })}
            >
              {t('banner.remove')}
            </Button>
          </Group>
        ))}
        <Group gap="xs">
          <Button
            variant="default"
            onClick={() => put({ cookies: [...cookies, { name: '', duration: '', purpose: '' }] })}
          >
            {t('banner.addCookie')}
          </Button>
          <Button
            variant="subtle"
            color="red"
            aria-label={t('banner.removeService', { name })}
            onClick={remove}
          >
            {t('banner.remove')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
