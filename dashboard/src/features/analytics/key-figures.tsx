import { Figure, Figures } from '../../shared/figure';
import { formatNumber, formatPercent } from '../../shared/format';
import { NoValue, Percent } from '../../shared/no-value';
import { changeOf, pointsOf, type Trend } from '../../shared/trend';
import { t } from '../../i18n/i18n';
import { rateOf } from './metrics';
import type { ConsentReports, SiteReports } from './use-reports';

/** The numbers of the period, each with its change against the same elapsed time of the period before. */
export function KeyFigures({ consents, visits }: { consents: ConsentReports; visits: SiteReports | null }) {
  const { current, former } = consents;
  const rate = (name: 'fullAccept' | 'rejection' | 'withdrawal') => {
    const [now, before] = [rateOf(current.totals, name), rateOf(former.totals, name)];
    const change = pointsOf(now, before, t('overview.points'));
    return (
      <Figure
        title={t(`analytics.metrics.${name}`)}
        value={<Percent share={now} reason={t('analytics.noChoices')} />}
        trend={name === 'fullAccept' ? change : inverse(change)}
        note={before !== null && t('analytics.before', { value: formatPercent(before) })}
      />
    );
  };
  const optIn = rateOf(current.totals, 'optIn');
  return (
    <div className="analytics-figures">
      <Figures label={t('analytics.keyFigures')}>
        <Figure
          title={t('analytics.consents')}
          value={formatNumber(current.totals.records)}
          trend={changeOf(current.totals.records, former.totals.records)}
          note={t('analytics.before', { value: formatNumber(former.totals.records) })}
        />
        <Figure
          title={t('analytics.metrics.optIn')}
          value={<Percent share={optIn} reason={t('analytics.noChoices')} />}
          trend={pointsOf(optIn, rateOf(former.totals, 'optIn'), t('overview.points'))}
          note={t('analytics.ofAsked', { count: current.totals.asked })}
        />
        {rate('fullAccept')}
        {rate('rejection')}
        {rate('withdrawal')}
        <SiteCount name="visits" visits={visits} />
        <SiteCount name="shown" visits={visits} />
        <InteractionRate visits={visits} />
      </Figures>
    </div>
  );
}

/** Counted until now; compared without the running hour. */
function SiteCount({ name, visits }: { name: 'visits' | 'shown'; visits: SiteReports | null }) {
  return (
    <Figure
      title={t(`analytics.siteMetrics.${name}`)}
      value={
        visits ? formatNumber(visits.current.totals[name]) : <NoValue reason={t('analytics.visitsMissing')} />
      }
      trend={visits && changeOf(visits.finished.totals[name], visits.former.totals[name])}
      note={visits && t('analytics.before', { value: formatNumber(visits.former.totals[name]) })}
    />
  );
}

function InteractionRate({ visits }: { visits: SiteReports | null }) {
  const before = visits?.former.totals.interactionRate ?? null;
  return (
    <Figure
      title={t('analytics.siteMetrics.interactionRate')}
      value={
        <Percent
          share={visits?.current.totals.interactionRate ?? null}
          reason={t(visits ? 'analytics.noneShown' : 'analytics.visitsMissing')}
        />
      }
      trend={visits && pointsOf(visits.finished.totals.interactionRate, before, t('overview.points'))}
      note={before !== null && t('analytics.before', { value: formatPercent(before) })}
    />
  );
}

/** More rejections and withdrawals are not an improvement. */
function inverse(trend: Trend | null): Trend | null {
  if (trend === null || trend.tone === 'neutral') return trend;
  return { ...trend, tone: trend.tone === 'good' ? 'bad' : 'good' };
}
