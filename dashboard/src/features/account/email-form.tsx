import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { authChangeEmail } from '../../client/sdk.gen';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';

/** Asks for another address; it changes once the link in its mail is followed. */
export function EmailForm({ email }: { email: string }) {
  const form = useForm({ initialValues: { newEmail: '', password: '' } });
  const { newEmail, password } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () => (await authChangeEmail({ body: { newEmail, password } })).data,
    onSuccess: () => form.setFieldValue('password', ''),
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm" maw={420}>
        <TextInput
          label={t('account.newEmail')}
          type="email"
          autoComplete="off"
          required
          {...form.getInputProps('newEmail')}
        />
        <UsernameField email={email} />
        <PasswordField label={t('account.currentPassword')} {...form.getInputProps('password')} />
        <ProblemAlert error={mutation.error} />
        {mutation.data && (
          <Alert variant="outline" color="green" role="status">
            <Text>{t('account.emailRequested')}</Text>
          </Alert>
        )}
        <div>
          <Button type="submit" variant="default" loading={mutation.isPending}>
            {t('account.changeEmail')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
