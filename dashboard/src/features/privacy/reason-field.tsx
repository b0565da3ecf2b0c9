import { TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n';

/** The reason of an erasure, which the audit log keeps. */
export function ReasonField({
  value,
  onChange,
  error,
}: {
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
}) {
  return (
    <TextInput
      label={t('privacy.reason')}
      description={t('privacy.reasonHint')}
      required
      data-autofocus
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
