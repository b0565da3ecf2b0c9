import { Anchor, List, Stack, Tabs, Text } from '@mantine/core';
import { CopyableCode } from '../../shared/copyable-code';
import { t } from '../../i18n/i18n';
import { OtherBanners } from './other-banners';

const GUIDES = ['html', 'tagManager', 'wordpress', 'shopify', 'wix', 'nextjs', 'csp', 'own'] as const;
type Guide = (typeof GUIDES)[number];

/** How the script gets onto the pages of a site, in three steps for each kind of site. */
export function Guides({ script, line }: { script: string; line: string }) {
  return (
    <Tabs defaultValue="html" keepMounted={false}>
      <Tabs.List>
        {GUIDES.map((guide) => (
          <Tabs.Tab key={guide} value={guide}>
            {t(`install.guide.${guide}.title`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {GUIDES.map((guide) => (
        <Tabs.Panel key={guide} value={guide} pt="sm">
          <Stack gap="sm">
            <List type="ordered" size="sm">
              {([1, 2, 3] as const).map((step) => (
                <List.Item key={step}>{t(`install.guide.${guide}.steps.${step}`)}</List.Item>
              ))}
            </List>
            <CopyableCode text={sampleFor(guide, { script, line })} label={t('install.sample')} />
            <Note guide={guide} />
            {guide === 'own' && (
              <>
                <OtherBanners script={script} />
                <Anchor href="/docs">{t('shell.apiDocs')}</Anchor>
              </>
            )}
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The limits of the guide. */
function Note({ guide }: { guide: Guide }) {
  switch (guide) {
    case 'tagManager':
    case 'wordpress':
    case 'shopify':
    case 'wix':
    case 'nextjs':
      return <Text c="dimmed">{t(`install.guide.${guide}.note`)}</Text>;
    default:
      return null;
  }
}

/** The code to paste into the site; for most guides, only the line. */
function sampleFor(guide: Guide, { script, line }: { script: string; line: string }): string {
  switch (guide) {
    case 'nextjs':
      return `<html lang="en">\n  <head>\n    <script src="${script}" />\n  </head>\n  <body>{children}</body>\n</html>`;
    case 'csp':
      return `Content-Security-Policy: script-src 'self' ${location.origin}; connect-src 'self' ${location.origin}`;
    case 'own':
      return `serviceConsent.submit({ analytics: true, marketing: false, preferences: true })`;
    default:
      return line;
  }
}
