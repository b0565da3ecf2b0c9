import { Button, Checkbox, Stack, Text, Title } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { CATEGORIES, type SiteService, withEntry, withoutEntry } from './configuration';
import type { FieldsProps } from './field-props';
import { ServiceFields } from './service-fields';

const NEW_SERVICE: SiteService = {
  name: '',
  provider: '',
  category: 'analytics',
  policyUrl: null,
  cookies: [],
};

/** The categories that visitors can choose, and the services and cookies in them. */
export function CategoryFields({ form, change, fields }: FieldsProps) {
  const { categories, services } = form;
  return (
    <Stack gap="sm">
      <Checkbox.Group
        label={t('banner.categories')}
        description={t('banner.categoriesHint')}
        value={categories}
        error={fields['categories']}
        onChange={(chosen) => change({ categories: CATEGORIES.filter((key) => chosen.includes(key)) })}
      >
        <Stack gap="xs" mt="xs">
          {CATEGORIES.map((key) => (
            <Checkbox key={key} value={key} label={t(`categories.${key}`)} size="xs" />
          ))}
        </Stack>
      </Checkbox.Group>
      <Title order={2} size="h3">
        {t('banner.services')}
      </Title>
      <Text c="dimmed">{t('banner.servicesHint')}</Text>
      {services.map((service, index) => (
        // A service has no id; the API also refers to it by index.
        <ServiceFields
          key={index}
          service={service}
          at={`services.${index}`}
          fields={fields}
          put={(changes) => change({ services: withEntry(services, index, { ...service, ...changes }) })}
          remove={() => change({ services: withoutEntry(services, index) })}
        />
      ))}
      <div>
        <Button variant="default" onClick={() => change({ services: [...services, NEW_SERVICE] })}>
          {t('banner.addService')}
        </Button>
      </div>
    </Stack>
  );
}
