import { Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { type SiteService, withEntry } from './configuration';
import { withTranslation } from './translations';
import { VisibleText } from '../../shared/visible-text';

/** A service's words in a language other than the default. Empty fields show the default language's words. */
export function ServiceTranslationFields({
  service,
  language,
  at,
  fields,
  put,
}: {
  service: SiteService;
  language: string;
  at: string;
  fields: Readonly<Record<string, string>>;
  put: (changes: Partial<SiteService>) => void;
}) {
  const { translations = [], cookies = [] } = service;
  const placeOf = (list: { language: string }[]) => list.findIndex((each) => each.language === language);
  return (
    <Paper withBorder p="sm" component="section" aria-label={service.name}>
      <Stack gap="xs">
        <TextInput
          label={t('banner.serviceName')}
          lang={language}
          placeholder={service.name}
          value={translations[placeOf(translations)]?.name ?? ''}
          error={fields[`${at}.translations.${placeOf(translations)}.name`]}
          onChange={(event) =>
            put({
              translations: withTranslation(translations, language, { name: event.currentTarget.value }),
            })
          }
        />
        {cookies.map((cookie, index) => {
          const known = cookie.translations ?? [];
          const words = known[placeOf(known)];
          return (
            <Stack key={index} gap={4} component="section" aria-label={cookie.name}>
              <Text className="mono">
                <VisibleText text={cookie.name} />
              </Text>
              <Group gap="xs" grow align="flex-start">
                {(['duration', 'purpose'] as const).map((member) => (
                  <TextInput
                    key={member}
                    label={t(`banner.cookie.${member}`)}
                    lang={language}
                    placeholder={cookie[member]}
                    value={words?.[member] ?? ''}
                    error={fields[`${at}.cookies.${index}.translations.${placeOf(known)}.${member}`]}
                    onChange={(event) =>
                      put({
                        cookies: withEntry(cookies, index, {
                          ...cookie,
                          translations: withTranslation(known, language, {
                            [member]: event.currentTarget.value,
                          }),
                        }),
                      })
                    }
                  />
                ))}
              </Group>
            </Stack>
          );
        })}
      </Stack>
    </Paper>
  );
}
