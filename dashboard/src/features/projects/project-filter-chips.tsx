import { NativeSelect } from '@mantine/core';
import { FilterChip } from '../../shared/filter-chip';
import { Segments } from '../../shared/segments';
import { t } from '../../i18n/i18n';
import { BANNERS, PLANS, type ProjectsSearch, type Sort, SORTS } from './projects-search';

/** Changes of the search; undefined removes a filter. */
export type ProjectChanges = { [Name in keyof ProjectsSearch]?: ProjectsSearch[Name] | undefined };

/** The order of the list of projects, and its filters. */
export function ProjectFilterChips({
  search,
  change,
}: {
  search: ProjectsSearch;
  change: (changes: ProjectChanges) => void;
}) {
  const { plan, banner } = search;
  return (
    <>
      <Segments<Sort>
        label={t('projects.sort')}
        options={SORTS}
        labelOf={(value) => t(`projects.sorts.${value}`)}
        value={search.sort ?? 'health'}
        onChange={(value) => change({ sort: value === 'name' ? value : undefined })}
      />
      <FilterChip
        name={t('projects.plan')}
        value={
          plan && t('list.filterValue', { name: t('projects.plan'), value: t(`projects.tiers.${plan}`) })
        }
        onClear={() => change({ plan: undefined })}
      >
        <NativeSelect
          size="xs"
          label={t('projects.plan')}
          value={plan ?? ''}
          onChange={({ currentTarget: { value } }) => change({ plan: PLANS.find((each) => each === value) })}
          data={[
            { value: '', label: t('list.any') },
            ...PLANS.map((value) => ({ value, label: t(`projects.tiers.${value}`) })),
          ]}
        />
      </FilterChip>
      <FilterChip
        name={t('projects.banner')}
        value={
          banner &&
          t('list.filterValue', { name: t('projects.banner'), value: t(`projects.banners.${banner}`) })
        }
        onClear={() => change({ banner: undefined })}
      >
        <NativeSelect
          size="xs"
          label={t('projects.banner')}
          value={banner ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ banner: BANNERS.find((each) => each === value) })
          }
          data={[
            { value: '', label: t('list.any') },
            ...BANNERS.map((value) => ({ value, label: t(`projects.banners.${value}`) })),
          ]}
        />
      </FilterChip>
    </>
  );
}
