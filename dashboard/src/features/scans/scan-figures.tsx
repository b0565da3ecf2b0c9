import { Text } from '@mantine/core';
import type { ScanDetailsResponse } from '../../client/types.gen';
import { Figure, Figures } from '../../shared/figure';
import { formatNumber } from '../../shared/format';
import { t } from '../../i18n/i18n';

/** The crawl's observations before any choice, in numbers. */
export function ScanFigures({ scan: { figures, pages, refused } }: { scan: ScanDetailsResponse }) {
  const refusals = refused.downloads + refused.popups + refused.dialogs;
  return (
    <>
      <Figures label={t('scans.summary')}>
        <Figure
          title={t('scans.visited')}
          value={formatNumber(pages.visited)}
          note={t('scans.pagesNote', { failed: pages.failed, skipped: pages.skipped })}
        />
        <Figure
          title={t('scans.views.cookies')}
          value={formatNumber(figures.cookies)}
          note={t('scans.cookiesNote', { count: figures.thirdPartyCookies })}
        />
        <Figure
          title={t('scans.thirdPartyHosts')}
          value={formatNumber(figures.thirdPartyHosts)}
          note={t('scans.requestsNote', { count: figures.requests })}
        />
        <Figure
          title={t('scans.storageEntries')}
          value={formatNumber(figures.storageEntries)}
          note={refusals > 0 ? t('scans.refused', refused) : undefined}
        />
      </Figures>
      <Text c="dimmed">{t('scans.beforeText')}</Text>
    </>
  );
}
