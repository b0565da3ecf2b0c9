import { Text } from '@mantine/core';
import ChartLine from 'lucide-react/icons/trending-up';
import Clock from 'lucide-react/icons/clock';
import FileText from 'lucide-react/icons/file-text';
import Globe from 'lucide-react/icons/globe';
import PanelBottom from 'lucide-react/icons/panel-bottom';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ComponentType, ReactNode } from 'react';
import type { ScanDetailsResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { shortDay } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { type FindingGroup, groupsIn, servicesOf } from './finding-groups';
import { progressOf } from './scan-progress';
import { driverName } from './scan-states';
import { isRunning, QueuePlace } from './scan-status';
import { Verdict, verdictOf, type VerdictTone } from './verdict';

/** The answer of a scan ahead of all tables: the worst of it in words, and how many findings there are. */
export function ScanResult({ scan, groups }: { scan: ScanDetailsResponse; groups: FindingGroup[] | null }) {
  const { tone, text } = verdictOf(scan);
  if (isRunning(scan)) return <Progress scan={scan} />;
  return (
    <section className="card scan-verdict" data-tone={tone} aria-label={t('scans.result')}>
      <div className="scan-verdict-top">
        {tone === 'bad' && (
          <span className="scan-verdict-mark" aria-hidden>
            <TriangleAlert />
          </span>
        )}
        <div>
          <h2>{tone === 'bad' ? text : <Verdict tone={tone}>{text}</Verdict>}</h2>
          {groups && <Text c="dimmed">{explanation(groups)}</Text>}
        </div>
        {scan.result && <Counts result={scan.result} />}
      </div>
      <Facts scan={scan} />
    </section>
  );
}

function Progress({ scan }: { scan: ScanDetailsResponse }) {
  const { title, text, share } = progressOf(scan);
  return (
    <section className="card scan-verdict" data-tone="run" aria-label={t('scans.result')} aria-live="polite">
      <div className="scan-verdict-top">
        <div>
          <h2>
            <Verdict tone="run">{title}</Verdict>
          </h2>
          {scan.queue ? <QueuePlace scan={scan} /> : <Text c="dimmed">{text}</Text>}
        </div>
        <progress className="meter" max={1} value={share} aria-label={t('scans.progress')} />
      </div>
    </section>
  );
}

const COUNTED: [count: 'settled' | 'arguable' | 'open' | 'declared', tone: VerdictTone][] = [
  ['settled', 'bad'],
  ['arguable', 'warn'],
  ['open', 'ask'],
  ['declared', 'good'],
];

function Counts({ result }: { result: NonNullable<ScanDetailsResponse['result']> }) {
  return (
    <dl className="scan-counts">
      {COUNTED.map(([count, tone]) => (
        <div key={count}>
          <dt>
            <Verdict tone={tone}>{t(`scans.counts.${count}`)}</Verdict>
          </dt>
          <dd>{formatNumber(result[count])}</dd>
        </div>
      ))}
    </dl>
  );
}

/** In which other states the cookies of the verdict are seen, and how many services to stop. */
function explanation(groups: FindingGroup[]): string {
  const settled = groups.filter(({ certainty }) => certainty === 'settled');
  if (settled.length === 0)
    return t(groups.some(({ certainty }) => certainty) ? 'scans.noneClear' : 'scans.noneSeen');
  const before = groupsIn(settled, 'before');
  const also = (state: 'reject' | 'withdraw') => (before.length > 0 ? groupsIn(before, state).length : 0);
  const [refusal, withdrawal] = [also('reject'), also('withdraw')];
  const where = refusal > 0 ? (withdrawal > 0 ? 'both' : 'refusal') : withdrawal > 0 ? 'withdrawal' : 'none';
  const services = servicesOf(settled).length;
  return [
    where === 'none' ? '' : t('scans.alsoSeen', { where, refusal, withdrawal }),
    services > 0 ? t('scans.blockServices', { count: services }) : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** How the result came about, in a line. */
function Facts({ scan }: { scan: ScanDetailsResponse }) {
  const { zone } = useZone();
  const { result, pages, location, states, startedAt, endedAt } = scan;
  const change = result?.change;
  const driver = states.find((state) => state.driver !== null)?.driver;
  const day = change ? shortDay(new Date(change.at), zone, locale) : '';
  return (
    <ul className="scan-facts">
      {change && (
        <Fact icon={ChartLine}>
          {t('scans.changeSince', {
            direction: change.settled > 0 ? 'more' : change.settled < 0 ? 'fewer' : 'same',
            count: Math.abs(change.settled),
            day,
          })}
        </Fact>
      )}
      {result && !change && <Fact icon={ChartLine}>{t('scans.change.first')}</Fact>}
      <Fact icon={FileText}>{t('scans.pageCount', { count: pages.visited })}</Fact>
      <Fact icon={Globe}>{location === null ? t('scans.fromUnknown') : t('scans.from', { location })}</Fact>
      {driver && <Fact icon={PanelBottom}>{t('scans.bannerOf', { driver: driverName(driver) })}</Fact>}
      {startedAt !== null && endedAt !== null && (
        <Fact icon={Clock}>{durationText(Date.parse(endedAt) - Date.parse(startedAt))}</Fact>
      )}
    </ul>
  );
}

function Fact({ icon: Icon, children }: { icon: ComponentType<{ className: string }>; children: ReactNode }) {
  return (
    <li>
      <Icon className="icon" aria-hidden />
      {children}
    </li>
  );
}

function durationText(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  return t('scans.duration', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}
