import { Anchor } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { RATES, SITE_METRICS } from './metrics';

/** The definitions of the page's numbers. */
export function Definitions() {
  return (
    <>
      <dl className="facts">
        {(['records', 'asked', ...RATES] as const).map((key) => (
          <Definition
            key={key}
            term={t(`analytics.metrics.${key}`)}
            text={t(`analytics.metricDefinitions.${key}`)}
          />
        ))}
        {(['region', 'language'] as const).map((key) => (
          <Definition key={key} term={t(`analytics.by.${key}`)} text={t(`analytics.byDefinitions.${key}`)} />
        ))}
        {SITE_METRICS.map((key) => (
          <Definition
            key={key}
            term={t(`analytics.siteMetrics.${key}`)}
            text={t(`analytics.siteDefinitions.${key}`)}
          />
        ))}
        <Definition term={t('analytics.previousPeriod')} text={t('analytics.previousDefinition')} />
      </dl>
      <Anchor href="/docs">{t('shell.apiDocs')}</Anchor>
    </>
  );
}

function Definition({ term, text }: { term: string; text: string }) {
  return (
    <div style={{ display: 'contents' }}>
      <dt>{term}</dt>
      <dd>{text}</dd>
    </div>
  );
}
