import { Alert, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { accountResetPassword } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { AuthLayout } from '../../shared/auth-layout';
import { ExpiredLinkMessage } from './expired-link-message';

const route = getRouteApi('/new-password');

/** Where the link of a forgotten password leads. It opens no session: signing in comes next. */
export function NewPasswordPage() {
  const { token = '' } = route.useSearch();
  const form = useForm({ initialValues: { newPassword: '' } });
  const { newPassword } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () => (await accountResetPassword({ body: { token, newPassword } })).data,
  });
  return (
    <AuthLayout title={t('newPassword.title')}>
      {mutation.data ? (
        <>
          <Alert variant="outline" color="green" role="status">
            <Text>{t('newPassword.done')}</Text>
          </Alert>
          <AnchorLink to="/sign-in">{t('signIn.title')}</AnchorLink>
        </>
      ) : (
        <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
          <Stack gap="sm">
            <PasswordField
              label={t('account.newPassword')}
              chosen
              autoFocus
              {...form.getInputProps('newPassword')}
            />
            <ExpiredLinkMessage shown={mutation.fieldErrors['token']} />
            <ProblemAlert error={mutation.error} />
            <Button type="submit" size="sm" loading={mutation.isPending}>
              {t('newPassword.submit')}
            </Button>
            <AnchorLink to="/forgotten-password">{t('forgotPassword.title')}</AnchorLink>
          </Stack>
        </form>
      )}
    </AuthLayout>
  );
}
