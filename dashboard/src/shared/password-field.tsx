import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { t } from '../i18n/i18n';

interface Props extends PasswordInputProps {
  /** Whether the user chooses a new password; otherwise they enter an existing one. */
  chosen?: boolean;
}

/** A required field for a password. */
export function PasswordField({ chosen = false, ...rest }: Props) {
  return (
    <PasswordInput
      name="password"
      required
      autoComplete={chosen ? 'new-password' : 'current-password'}
      {...(chosen && { description: t('signUp.passwordHint'), minLength: 8 })}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t('signIn.showPassword') }}
      {...rest}
    />
  );
}
