import { TextInput } from '@mantine/core';
import { Link, type LinkOptions, useNavigate } from '@tanstack/react-router';
import Search from 'lucide-react/icons/search';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { t } from '../i18n/i18n';
import { VisibleText } from '../shared/visible-text';
import './picker.css';

/** Something that can be picked: a page. */
export interface PickerOption {
  key: string;
  label: string;
  icon?: ReactNode;
  /** Beside the label, quieter. */
  hint?: ReactNode;
  link: LinkOptions;
}

interface PickerGroup {
  /** Absent: the group has no heading. */
  title?: string;
  options: PickerOption[];
}

/** A search field with the pages that it finds, for the keyboard and the mouse. */
export function Picker(props: {
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  groups: PickerGroup[];
  /** Projects or pages that are not listed. */
  more?: number;
  onClose: () => void;
}) {
  const { groups, more = 0, onClose } = props;
  const [marked, setMarked] = useState(0);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // The frame around it moved the focus before this was loaded.
  useEffect(() => field.current?.focus({ preventScroll: true }), []);
  const navigate = useNavigate();
  const options = groups.flatMap((group) => group.options);
  const count = options.length;
  useEffect(() => {
    document.getElementById(`${id}-${marked}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, marked]);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowDown: (marked + 1) % count,
      ArrowUp: (marked + count - 1) % count,
      PageDown: Math.min(marked + PAGE_ROWS, count - 1),
      PageUp: Math.max(marked - PAGE_ROWS, 0),
    }[event.key];
    const chosen = options[marked];
    if (next !== undefined && count > 0) {
      event.preventDefault();
      setMarked(next);
    } else if (event.key === 'Enter' && chosen) {
      event.preventDefault();
      onClose();
      void navigate(chosen.link);
    }
  };
  let index = -1;
  return (
    <>
      <TextInput
        ref={field}
        variant="unstyled"
        size="md"
        className="picker-input"
        leftSection={<Search className="icon" aria-hidden />}
        aria-label={props.label}
        placeholder={props.placeholder}
        role="combobox"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={options[marked] && `${id}-${marked}`}
        autoComplete="off"
        data-autofocus
        value={props.text}
        onChange={(event) => {
          props.onText(event.currentTarget.value);
          setMarked(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={id} className="picker-list" role="listbox" aria-label={props.label}>
        {groups
          .filter((group) => group.options.length > 0)
          .map((group) => (
            <div key={group.title ?? group.options[0]?.key} role="group" aria-label={group.title}>
              {group.title !== undefined && (
                <div className="picker-heading" aria-hidden>
                  {group.title}
                </div>
              )}
              {group.options.map((option) => {
                index += 1;
                const row = index;
                return (
                  // The field keeps the focus, and takes the keys of the list.
                  <Link
                    key={option.key}
                    {...option.link}
                    id={`${id}-${row}`}
                    role="option"
                    tabIndex={-1}
                    aria-selected={row === marked}
                    onMouseMove={() => setMarked(row)}
                    onClick={onClose}
                  >
                    {option.icon}
                    <span>
                      <VisibleText text={option.label} />
                    </span>
                    <small>{option.hint}</small>
                  </Link>
                );
              })}
            </div>
          ))}
      </div>
      <div role="status" className={count > 0 && more === 0 ? 'hidden-text' : 'picker-note'}>
        {count === 0 && t('palette.none')}
        {count > 0 && (more > 0 ? t('palette.more', { count: more }) : t('palette.found', { count }))}
      </div>
    </>
  );
}

/** Rows that a page key skips. */
const PAGE_ROWS = 8;
