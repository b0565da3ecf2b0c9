import { Anchor } from '@mantine/core';
import { Section } from '../../shared/section';
import { t } from '../../i18n/i18n';
import { RATES } from './count-columns';
import { SITE_DEFINITIONS } from './site-figures';

/** Anchor of the section that defines the metrics. */
export const DEFINITIONS_ID = 'definitions';

export function Definitions() {
  return (
    <Section title={t('analytics.definitions')} id={DEFINITIONS_ID}>
      <dl className="facts">
        {(['records', ...RATES] as const).map((key) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{t(`analytics.metrics.${key}`)}</dt>
            <dd>{t(`analytics.metricDefinitions.${key}`)}</dd>
          </div>
        ))}
        {(['region', 'language'] as const).map((key) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{t(`analytics.by.${key}`)}</dt>
            <dd>{t(`analytics.byDefinitions.${key}`)}</dd>
          </div>
        ))}
        {SITE_DEFINITIONS.map((key) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>{t(`analytics.siteMetrics.${key}`)}</dt>
            <dd>{t(`analytics.siteDefinitions.${key}`)}</dd>
          </div>
        ))}
      </dl>
      <Anchor href="/docs">{t('shell.apiDocs')}</Anchor>
    </Section>
  );
}
