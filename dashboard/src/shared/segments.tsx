import { type ReactNode, useId } from 'react';
import { VisuallyHidden } from './visually-hidden';
import './segments.css';

/** One of a few options in a row. Mantine's own measures itself after each drawing, which delays a page's first one. */
export function Segments<Option extends string>(props: {
  label: string;
  options: readonly Option[];
  labelOf: (option: Option) => string;
  /** Shown instead of the labels, to save room. */
  iconOf?: (option: Option) => ReactNode;
  value: Option;
  onChange: (option: Option) => void;
  disabled?: boolean;
}) {
  const name = useId();
  return (
    <div className="segments" role="radiogroup" aria-label={props.label}>
      {props.options.map((option) => (
        <label key={option}>
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === props.value}
            disabled={props.disabled}
            onChange={() => props.onChange(option)}
          />
          {props.iconOf ? (
            <span className="segment-icon" title={props.labelOf(option)}>
              {props.iconOf(option)}
              <VisuallyHidden>{props.labelOf(option)}</VisuallyHidden>
            </span>
          ) : (
            <span>{props.labelOf(option)}</span>
          )}
        </label>
      ))}
    </div>
  );
}
