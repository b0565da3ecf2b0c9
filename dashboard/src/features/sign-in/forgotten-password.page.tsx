import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { accountForgotPassword } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { CheckInbox } from './check-inbox';
import { AuthLayout } from '../../shared/auth-layout';

export function ForgottenPasswordPage() {
  const form = useForm({ initialValues: { email: '' } });
  const { email } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () => (await accountForgotPassword({ body: { email } })).data,
  });
  return (
    <AuthLayout title={t('forgotPassword.title')}>
      {mutation.data ? (
        <CheckInbox email={email} text={t('forgotPassword.checkMailText')} command="account reset-password" />
      ) : (
        <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
          <Stack gap="sm">
            <Text>{t('forgotPassword.text')}</Text>
            <TextInput
              label={t('signIn.email')}
              type="email"
              name="email"
              autoComplete="username"
              required
              autoFocus
              {...form.getInputProps('email')}
            />
            <ProblemAlert error={mutation.error} />
            <Button type="submit" size="sm" loading={mutation.isPending}>
              {t('forgotPassword.submit')}
            </Button>
          </Stack>
        </form>
      )}
      <AnchorLink to="/sign-in">{t('signIn.title')}</AnchorLink>
    </AuthLayout>
  );
}
