import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../i18n/i18n';

interface Props extends Omit<PasswordInputProps, 'value' | 'onChange'> {
  value: string;
  onChange: (value: string) => void;
  /** Whether it is chosen here; otherwise it is one that is known already. */
  chosen?: boolean;
}

/** A field for a password that has to be given. */
export function PasswordField({ onChange, chosen = false, ...rest }: Props) {
  return (
    <PasswordInput
      name="password"
      required
      autoComplete={chosen ? 'new-password' : 'current-password'}
      {...(chosen && { description: t('signUp.passwordHint'), minLength: 8 })}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
      onChange={(event) => onChange(event.currentTarget.value)}
      {...rest}
    />
  );
}
