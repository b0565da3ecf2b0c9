import { TextInput } from '@mantine/core';
import Search from 'lucide-react/icons/search';
import { useId, useMemo, useState } from 'react';
import { locale, t } from '../../i18n/i18n';
import { AnchorLink } from '../../shared/anchor-link';
import { plain, searchWords } from '../../shared/search-words';
import { rowName } from './matrix-words';
import { modesWords } from './mode-words';
import { decidingRule, type MatrixRow } from './region-matrix';
import { REGION_PARTS } from './region-parts';

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Codes that ICU has names for and that are no countries. */
const NO_COUNTRIES = new Set(['EU', 'EZ', 'QO', 'UN', 'XA', 'XB', 'ZZ']);

/** Names a place, and says which line decides for its visitors and how. */
export function PlaceTest({ rows }: { rows: MatrixRow[] }) {
  const list = useId();
  const places = useMemo(allPlaces, []);
  const [typed, setTyped] = useState('');
  const place = findPlace(places, typed);
  const row = place && decidingRow(rows, place.code);
  return (
    <>
      <TextInput
        aria-label={t('rules.testPlace')}
        placeholder={t('rules.testPlaceHint')}
        size="xs"
        autoComplete="off"
        list={list}
        leftSection={<Search className="icon" aria-hidden />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <datalist id={list}>
        {places.map(({ code, name }) => (
          <option key={code} value={name} />
        ))}
      </datalist>
      <small role="status">
        {row && (
          <AnchorLink
            size="xs"
            from="/projects/$projectId/banner"
            to="."
            search={(before) => ({ ...before, rule: row.index ?? 'other' })}
            replace
          >
            {t('rules.testResult', { line: rowName(row, 1), modes: modesWords(row.modes) })}
          </AnchorLink>
        )}
        {!row && t(typed.trim() === '' || place ? 'rules.unknownIs' : 'rules.noPlace')}
      </small>
    </>
  );
}

/** The place with this name or code, or the only one that matches. */
function findPlace(places: Place[], typed: string): Place | undefined {
  const wanted = plain(typed.trim());
  if (wanted === '') return undefined;
  const exact = places.find(({ code, name }) => [plain(code), plain(name)].includes(wanted));
  const matches = searchWords(typed);
  const found = exact ? [exact] : places.filter(({ name }) => matches(name));
  return found.length === 1 ? found[0] : undefined;
}

function decidingRow(rows: MatrixRow[], code: string): MatrixRow | undefined {
  const rules = rows.filter(({ index }) => index !== null);
  const index = decidingRule(rules, code);
  return rows.find((row) => row.index === index);
}

interface Place {
  /** ISO 3166-1, or 3166-2. */
  code: string;
  name: string;
}

function allPlaces(): Place[] {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const countries = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).flatMap((code) => {
    const name = NO_COUNTRIES.has(code) ? undefined : names.of(code);
    return name === undefined ? [] : [{ code, name }];
  });
  const parts = [...REGION_PARTS].map(([code, name]) => ({
    code,
    name: `${name}, ${names.of(code.slice(0, 2)) ?? code}`,
  }));
  return [...countries, ...parts].toSorted((a, b) => a.name.localeCompare(b.name, locale));
}
