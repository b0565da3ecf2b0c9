import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n';

/** Comma-separated region codes, applied while typing. The API rejects invalid codes by name. */
export function RegionCodesInput(props: {
  regions: string[];
  label: string;
  error: string | undefined;
  disabled: boolean;
  put: (regions: string[]) => void;
}) {
  const text = props.regions.join(', ');
  const [typed, setTyped] = useState(text);
  const [known, setKnown] = useState(text);
  if (known !== text) {
    setKnown(text);
    if (parseRegionCodes(typed).join(', ') !== text) setTyped(text);
  }
  return (
    <TextInput
      label={props.label}
      description={t('rules.regionsHint')}
      placeholder="DE, US-CA"
      value={typed}
      error={props.error}
      disabled={props.disabled}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        props.put(parseRegionCodes(event.currentTarget.value));
      }}
    />
  );
}

const parseRegionCodes = (typed: string): string[] => [
  ...new Set(
    typed
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter(Boolean),
  ),
];
