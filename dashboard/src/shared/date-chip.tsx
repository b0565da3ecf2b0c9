import { locale, t } from '../i18n/i18n';
import { DateFilter } from './filter-fields';
import { FilterChip } from './filter-chip';

interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

/** The first and the last day of a list, as one filter. */
export function DateChip({ days, change }: { days: Days; change: (changes: Days) => void }) {
  const { from, to } = days;
  return (
    <FilterChip
      name={t('list.date')}
      value={daysText(days)}
      onClear={() => change({ from: undefined, to: undefined })}
    >
      <DateFilter label={t('list.from')} value={from} onChange={(day) => change({ from: day })} />
      <DateFilter label={t('list.to')} value={to} onChange={(day) => change({ to: day })} />
    </FilterChip>
  );
}

/** `Nov 1 – 23, 2026`; undefined without days. */
function daysText({ from, to }: Days): string | undefined {
  if (from === undefined && to === undefined) return undefined;
  // Days have no zone.
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const [first, last] = [from, to].map((day) => (day === undefined ? undefined : new Date(`${day}T00:00Z`)));
  if (first && last && first <= last) return format.formatRange(first, last);
  if (first && last) return `${format.format(first)} – ${format.format(last)}`;
  if (first) return t('list.fromDay', { day: format.format(first) });
  return last && t('list.untilDay', { day: format.format(last) });
}
