import { TextInput } from '@mantine/core';
import { useState } from 'react';

/**
 * A text filter: applied with Enter or by leaving the field, so that no incomplete word is queried.
 */
export function TextFilter(props: {
  label: string;
  value: string | undefined;
  placeholder?: string;
  list?: readonly string[];
  onChange: (value: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(props.value ?? '');
  const [known, setKnown] = useState(props.value);
  // The address may change without this field: back, forward, a link.
  if (known !== props.value) {
    setKnown(props.value);
    setTyped(props.value ?? '');
  }
  const take = () => {
    const value = typed.trim() || undefined;
    if (value !== props.value) props.onChange(value);
  };
  const listId = props.list && `list-${props.label.replaceAll(/\W/g, '')}`;
  return (
    <>
      <TextInput
        size="xs"
        label={props.label}
        placeholder={props.placeholder}
        value={typed}
        list={listId}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={take}
        onKeyDown={(event) => event.key === 'Enter' && take()}
      />
      {props.list && (
        <datalist id={listId}>
          {props.list.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** A day that filters, by the browser's own calendar. */
export function DateFilter({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}) {
  return (
    <TextInput
      size="xs"
      type="date"
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}
