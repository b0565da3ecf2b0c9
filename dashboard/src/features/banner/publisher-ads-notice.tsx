import { Anchor, Text } from '@mantine/core';
import { Notice } from '../../shared/notice';
import { locale, t } from '../../i18n/i18n';
import type { Configuration } from './configuration';
import { publisherAds } from './publisher-ads';
import { SIGNAL_DOCS } from './signal-docs';

/** Warns where the site shows ads of Google for which this service is not the right consent platform. */
export function PublisherAdsNotice({ form }: { form: Configuration }) {
  const found = publisherAds(form);
  if (found.length === 0) return null;
  return (
    <Notice>
      <Text fw={600}>{t('signals.publisher.title')}</Text>
      <Text>{t('signals.publisher.text', { found: new Intl.ListFormat(locale).format(found) })}</Text>
      <Anchor href={`${SIGNAL_DOCS}#not-supported`} target="_blank" rel="noopener">
        {t('signals.publisher.more')}
      </Anchor>
    </Notice>
  );
}
