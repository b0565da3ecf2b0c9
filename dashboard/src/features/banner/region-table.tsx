import { getRouteApi, Link } from '@tanstack/react-router';
import Check from 'lucide-react/icons/check';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { formatPercent } from '../../shared/format';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { t } from '../../i18n/i18n';
import { CATEGORIES, type Category, type Mode } from './configuration';
import type { FieldsProps } from './field-props';
import { rowName } from './matrix-words';
import { commonMode, REGION_GROUPS, regionGroup } from './region-groups';
import { findPreset, type MatrixRow, type Preset, visitorOf } from './region-matrix';
import { rowError } from './row-error';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

const LEGEND = ['opt_in', 'opt_out', 'notice'] as const;

interface RegionTableProps {
  rows: MatrixRow[];
  /** undefined: not loaded yet. */
  presets: Preset[] | undefined;
  offered: Category[];
  rules: { regions: string[] }[];
  fields: FieldsProps['fields'];
  /** Share of the consents of 30 days, by row; null: there are none. */
  share: ((index: number | null) => number) | null;
  /** The row that is edited. */
  opened: number | 'other' | undefined;
}

/** The marks of the modes, with their meaning. */
export function ModeLegend() {
  return (
    <span className="mode-legend">
      {LEGEND.map((mode) => (
        <span key={mode}>
          <ModeBar mode={mode} words={t(`rules.shortModes.${mode}`)} /> {t(`rules.legend.${mode}`)}
        </span>
      ))}
    </span>
  );
}

/** One line per region, grouped by kind of law; equal modes are one bar. */
export function RegionTable(props: RegionTableProps) {
  const { rows, presets, offered, share } = props;
  if (!presets) return <SkeletonRows rows={8} />;
  return (
    <div className="rows">
      <table className="region-table" aria-label={t('rules.table')}>
        <thead>
          <tr>
            <th scope="col">{t('rules.region')}</th>
            <th scope="col" className="region-law">
              {t('rules.law')}
            </th>
            {CATEGORIES.map((category) => (
              <th key={category} scope="col" className="region-mode">
                {t(`categories.${category}`)}
                {!offered.includes(category) && <small>{t('rules.notOffered')}</small>}
              </th>
            ))}
            <th scope="col" className="region-signal">
              GPC
            </th>
            {share && (
              <th scope="col" className="number">
                {t('overview.records')}
              </th>
            )}
            <th aria-hidden />
          </tr>
        </thead>
        {REGION_GROUPS.map((group) => ({
          group,
          members: rows.filter((row) => regionGroup(row) === group),
        }))
          .filter(({ members }) => members.length > 0)
          .map(({ group, members }) => (
            <tbody key={group}>
              <tr className="region-group">
                {/* One cell: a span of all columns would count the hidden ones. */}
                <th scope="rowgroup">
                  {t(`rules.groups.${group}`)} <small>{t(`rules.groupHints.${group}`)}</small>
                </th>
              </tr>
              {members.map((row) => (
                <RegionRow key={row.index ?? 'other'} {...props} presets={presets} row={row} />
              ))}
            </tbody>
          ))}
      </table>
    </div>
  );
}

function RegionRow(props: Omit<RegionTableProps, 'presets'> & { row: MatrixRow; presets: Preset[] }) {
  const { row, presets, offered, rules, share, opened } = props;
  const navigate = route.useNavigate();
  const rule = row.index ?? 'other';
  const isOpen = opened === rule;
  const error = rowError(props.fields, row.index);
  const isCovered = row.regions.length > 0 && visitorOf(rules, row.index) === null;
  const common = commonMode(row.modes);
  const open = () => void navigate({ search: (before) => ({ ...before, rule }), replace: true });
  return (
    <tr data-opens="" title={rowName(row)} data-open={isOpen || undefined} onClick={open}>
      <th scope="row">
        <span className="region-code" aria-hidden>
          {row.regions[0]?.slice(0, 2) ?? '··'}
        </span>
        <Link
          from="/projects/$projectId/banner"
          to="."
          search={(before) => ({ ...before, rule })}
          replace
          className="row-link"
          aria-current={isOpen ? 'true' : undefined}
        >
          {rowName(row, 1)}
        </Link>
        {error !== undefined && <span className="region-note bad">{t('banner.needsFixing')}</span>}
        {isCovered && <span className="region-note">{t('rules.unused')}</span>}
      </th>
      <td className="region-law">{findPreset(presets, row.preset)?.law ?? t('rules.byHand')}</td>
      {common !== null && (
        <td className="region-mode" colSpan={CATEGORIES.length}>
          <ModeBar mode={common} words={t('rules.modeForAll', { mode: t(`banner.modes.${common}`) })} />
        </td>
      )}
      {common === null &&
        CATEGORIES.map((category) => (
          <td key={category} className="region-mode" data-dimmed={!offered.includes(category) || undefined}>
            {/* A card has no column headings. */}
            <span className="region-category" aria-hidden>
              {t(`categories.${category}`)}
            </span>
            <ModeBar mode={row.modes[category]} words={t(`rules.shortModes.${row.modes[category]}`)} />
          </td>
        ))}
      <td className="region-signal">
        {row.honorsSignal ? (
          <>
            <Check className="icon" aria-hidden />
            <VisuallyHidden>{t('list.yes')}</VisuallyHidden>
          </>
        ) : (
          <VisuallyHidden>{t('list.no')}</VisuallyHidden>
        )}
      </td>
      {share && <td className="number">{formatPercent(share(row.index))}</td>}
      <td className="region-open" aria-hidden>
        <ChevronRight className="icon" />
      </td>
    </tr>
  );
}

function ModeBar({ mode, words }: { mode: Mode; words: string }) {
  return (
    <span className="mode-bar" data-mode={mode}>
      {words}
    </span>
  );
}
