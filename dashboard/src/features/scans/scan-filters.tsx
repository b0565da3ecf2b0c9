import { NativeSelect } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ScanResponse } from '../../client/types.gen';
import { FilterChip } from '../../shared/filter-chip';
import { ListCard } from '../../shared/list-card';
import { SearchField } from '../../shared/search-field';
import { searchWords } from '../../shared/search-words';
import { t } from '../../i18n/i18n';
import { SCAN_ORIGINS, SCAN_RESULTS, type ScanFilters } from './search';
import { Verdict, verdictOf } from './verdict';

const route = getRouteApi('/signed-in/projects/$projectId/scans');

/** Whether a scan matches the filters. The service keeps so few scans that all of them are loaded. */
export function matchesScan(filters: ScanFilters): (scan: ScanResponse) => boolean {
  const { q = '', result, origin } = filters;
  const matches = searchWords(q);
  return (scan) =>
    matches(...scan.urls) &&
    (result === undefined || verdictOf(scan).tone === result) &&
    (origin === undefined || scan.origin === origin);
}

const RESULT_WORDS = () => ({
  bad: t('findings.certainties.settled'),
  warn: t('findings.certainties.arguable'),
  ask: t('scans.counts.open'),
  good: t('scans.verdicts.none'),
  none: t('scans.notTestable'),
});

/** The list of scans with its search field, filters and the meaning of its shapes. */
export function ScanListCard({ children }: { children: ReactNode }) {
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const words = RESULT_WORDS();
  const { q, result, origin } = filters;
  const change = (changes: { [Name in keyof ScanFilters]: ScanFilters[Name] | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as ScanFilters, replace: true });
  const filtered = (name: string, value: string) => t('list.filterValue', { name, value });
  return (
    <ListCard
      search={
        <SearchField
          aria-label={t('scans.find')}
          placeholder={t('scans.find')}
          value={q ?? ''}
          onChange={({ currentTarget: { value } }) => change({ q: value === '' ? undefined : value })}
        />
      }
      filters={
        <>
          <FilterChip
            name={t('scans.result')}
            value={result && filtered(t('scans.result'), words[result])}
            onClear={() => change({ result: undefined })}
          >
            <NativeSelect
              size="xs"
              label={t('scans.result')}
              value={result ?? ''}
              onChange={({ currentTarget: { value } }) =>
                change({ result: SCAN_RESULTS.find((each) => each === value) })
              }
              data={[
                { value: '', label: t('list.any') },
                ...SCAN_RESULTS.map((value) => ({ value, label: words[value] })),
              ]}
            />
          </FilterChip>
          <FilterChip
            name={t('scans.origin')}
            value={origin && filtered(t('scans.origin'), t(`scans.origins.${origin}`))}
            onClear={() => change({ origin: undefined })}
          >
            <NativeSelect
              size="xs"
              label={t('scans.origin')}
              value={origin ?? ''}
              onChange={({ currentTarget: { value } }) =>
                change({ origin: SCAN_ORIGINS.find((each) => each === value) })
              }
              data={[
                { value: '', label: t('list.any') },
                ...SCAN_ORIGINS.map((value) => ({ value, label: t(`scans.origins.${value}`) })),
              ]}
            />
          </FilterChip>
          <span className="scan-legend">
            <Verdict tone="bad">{words.bad}</Verdict>
            <Verdict tone="warn">{words.warn}</Verdict>
            <Verdict tone="ask">{words.ask}</Verdict>
          </span>
        </>
      }
      active={[q, result, origin].filter((value) => value !== undefined).length}
      onClear={() => void navigate({ search: {}, replace: true })}
    >
      {children}
    </ListCard>
  );
}
