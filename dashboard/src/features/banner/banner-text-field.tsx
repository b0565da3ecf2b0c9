import { Textarea, TextInput } from '@mantine/core';
import type { LanguageTextProps } from './field-props';
import { TEXT_MEMBERS, type TextMember } from './text-mode';

export interface BannerTextFieldProps extends LanguageTextProps {
  /** A member of the text, or a label. */
  name: string;
  label: string;
  hint?: string;
  /** Has room for sentences. */
  isLong?: boolean;
  /** Shown in an empty label, because it then holds. */
  placeholder?: string | undefined;
}

const isMember = (name: string): name is TextMember => (TEXT_MEMBERS as readonly string[]).includes(name);

/** One text of the banner. An empty label uses the default. */
export function BannerTextField(props: BannerTextFieldProps) {
  const { name, label, hint, isLong = false, placeholder, text, at, fields, put } = props;
  const labels = text.labels ?? {};
  const change = (value: string) => {
    if (isMember(name)) return put({ [name]: value });
    const { [name]: _, ...others } = labels;
    put({ labels: value === '' ? others : { ...others, [name]: value } });
  };
  const shared = {
    label,
    lang: text.language,
    value: isMember(name) ? text[name] : (labels[name] ?? ''),
    error: fields[`${at}.${name}`],
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input')[],
    ...(hint !== undefined && { description: hint }),
    ...(placeholder !== undefined && { placeholder }),
  };
  return isLong ? (
    <Textarea rows={2} {...shared} onChange={(event) => change(event.currentTarget.value)} />
  ) : (
    <TextInput {...shared} onChange={(event) => change(event.currentTarget.value)} />
  );
}
