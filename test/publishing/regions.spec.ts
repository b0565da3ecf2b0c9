import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { CATEGORIES } from '../../src/modules/publishing/domain/banner-text.js';
import {
  newestVersion,
  presetState,
  type PresetState,
  REGION_PRESETS,
  type RegionPreset,
} from '../../src/modules/publishing/domain/region-preset.js';

const TODAY = '2026-11-26';
const DATES = ['2026-02-04', TODAY, '2027-01-01'];
const lines = readFileSync('docs/regions.md', 'utf8').split('\n');

it('docs/regions.md lists each preset with its modes, law and sources', () => {
  expect(tableAfter(`## Presets on ${TODAY}`)).toEqual(
    REGION_PRESETS.map((preset) => {
      const { modes, requiresSignal } = stateOn(preset, TODAY);
      return [
        `\`${preset.id}\``,
        preset.regions.map((region) => `\`${region}\``).join(' '),
        ...CATEGORIES.map((category) => `\`${modes[category]}\``),
        requiresSignal ? 'required' : '',
        preset.law,
        preset.sources.map(({ title, url }) => `[${title}](${url})`).join(', '),
        preset.versions.at(-1)?.reviewedOn,
      ];
    }),
  );
});

it('docs/regions.md has the modes of each preset that differs on three dates', () => {
  expect(tableHead('## Three dates')).toEqual(['preset', ...DATES]);
  const rows = REGION_PRESETS.map((preset) => [
    `\`${preset.id}\``,
    ...DATES.map((date) => shown(stateOn(preset, date))),
  ]);
  expect(tableAfter('## Three dates')).toEqual(rows.filter(([, ...modes]) => new Set(modes).size > 1));
});

it('docs/regions.md lists the changes by date', () => {
  const changes = REGION_PRESETS.flatMap((preset) =>
    (preset.versions.at(-1)?.states ?? [])
      .slice(1)
      .map((state) => [
        state.from,
        `\`${preset.id}\``,
        modesShown(state),
        state.requiresSignal ? 'required' : '',
      ]),
  );
  expect(tableAfter('## Changes by date')).toEqual(
    changes.toSorted(([a], [b]) => String(a).localeCompare(String(b))),
  );
});

function stateOn(preset: RegionPreset, day: string): PresetState {
  const state = presetState(preset, newestVersion(preset), new Date(day));
  if (!state) throw new Error(`${preset.id} has no state on ${day}`);
  return state;
}

function shown(state: PresetState): string {
  return `${modesShown(state)}${state.requiresSignal ? ', GPC' : ''}`;
}

function modesShown({ modes }: PresetState): string {
  const [first, ...others] = CATEGORIES.map((category) => modes[category]);
  const words = others.every((mode) => mode === first) ? [first] : [first, ...others];
  return `${words.length === 1 ? 'all ' : ''}${words.map((mode) => `\`${mode}\``).join(' / ')}`;
}

function tableHead(heading: string): string[] {
  const start = lines.indexOf(heading);
  return cells(lines.find((line, index) => index > start && line.startsWith('|')) ?? '');
}

/** The rows of the first table after a heading. */
function tableAfter(heading: string): string[][] {
  const start = lines.indexOf(heading);
  expect(start).toBeGreaterThan(-1);
  const head = lines.findIndex((line, index) => index > start && line.startsWith('|'));
  const end = lines.findIndex((line, index) => index > head && !line.startsWith('|'));
  return lines.slice(head + 2, end).map(cells);
}

function cells(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}
