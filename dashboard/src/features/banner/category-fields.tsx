import { Button, Stack, Text, Title } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { t } from '../../i18n/i18n';
import { CategoryTextFields } from './category-text-fields';
import { type BannerText, CATEGORIES, type SiteService, withEntry, withoutEntry } from './configuration';
import type { LanguageProps } from './field-props';
import { ownLanguageName } from './language-name';
import { ServiceChoice } from './service-choice';
import { ServiceFields } from './service-fields';
import { ServiceTranslationFields } from './service-translation-fields';

/** Loaded after the other fields: the list is long. */
const CommonServiceSelect = lazy(async () => ({
  default: (await import('./common-services/common-service-select')).CommonServiceSelect,
}));

const NEW_SERVICE: SiteService = {
  name: '',
  provider: '',
  category: 'analytics',
  policyUrl: null,
  cookies: [],
};

/** The categories that visitors can choose, and the services and cookies in them. */
export function CategoryFields({ form, change, fields, language }: LanguageProps) {
  const { categories, services, texts } = form;
  const index = texts.findIndex((each) => each.language === language);
  const text = texts[index];
  const isDefault = language === form.defaultLanguage;
  if (!text) return null;
  const put = (changes: Partial<BannerText>) =>
    change({ texts: withEntry(texts, index, { ...text, ...changes }) });
  const offer = (key: (typeof CATEGORIES)[number], isOffered: boolean) =>
    change({
      categories: CATEGORIES.filter((each) => (each === key ? isOffered : categories.includes(each))),
    });
  return (
    <Stack gap="sm">
      <Text c="dimmed">{t('banner.categoriesHint')}</Text>
      {CATEGORIES.map((key) => (
        <CategoryTextFields
          key={key}
          category={key}
          isOffered={categories.includes(key)}
          onOffered={(isOffered) => offer(key, isOffered)}
          {...{ text, fields, put }}
          at={`texts.${index}`}
        />
      ))}
      <Title order={2}>{t('banner.services')}</Title>
      <Text c="dimmed">
        {isDefault
          ? t('banner.servicesHint')
          : t('banner.translationsHint', { language: ownLanguageName(form.defaultLanguage) })}
      </Text>
      {isDefault && <ServiceChoice form={form} change={change} />}
      {services.map((service, at) => {
        // A new service has no id; the API refers to services by index.
        const shared = {
          service,
          fields,
          at: `services.${at}`,
          put: (changes: Partial<SiteService>) =>
            change({ services: withEntry(services, at, { ...service, ...changes }) }),
        };
        return isDefault ? (
          <ServiceFields
            key={at}
            {...shared}
            hasId={form.serviceChoice && service.category !== 'necessary'}
            remove={() => change({ services: withoutEntry(services, at) })}
          />
        ) : (
          <ServiceTranslationFields key={at} {...shared} language={language} />
        );
      })}
      {isDefault && (
        <>
          <Suspense>
            <CommonServiceSelect form={form} change={change} />
          </Suspense>
          <div>
            <Button variant="default" onClick={() => change({ services: [...services, NEW_SERVICE] })}>
              {t('banner.addService')}
            </Button>
          </div>
        </>
      )}
    </Stack>
  );
}
