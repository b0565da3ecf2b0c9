import { Alert, Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { accountConfirmNewEmail } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { AuthLayout } from '../../shared/auth-layout';
import { ExpiredLinkMessage } from './expired-link-message';

const route = getRouteApi('/confirm-new-email');

/** Where the link of a change of address leads: the password proves that the mail went to who asked for it. */
export function ConfirmNewEmailPage() {
  const { token = '' } = route.useSearch();
  const form = useForm({ initialValues: { password: '' } });
  const { password } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () => (await accountConfirmNewEmail({ body: { token, password } })).data,
  });
  return (
    <AuthLayout title={t('confirmNewEmail.title')}>
      {mutation.data ? (
        <>
          <Alert variant="outline" color="green" role="status">
            <Text>{t('confirmNewEmail.done')}</Text>
          </Alert>
          <AnchorLink to="/">{t('signIn.title')}</AnchorLink>
        </>
      ) : (
        <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
          <Stack gap="sm">
            <Text>{t('confirmNewEmail.text')}</Text>
            <PasswordField label={t('signIn.password')} autoFocus {...form.getInputProps('password')} />
            <ExpiredLinkMessage shown={mutation.fieldErrors['token']} />
            <ProblemAlert error={mutation.error} />
            <Button type="submit" size="sm" loading={mutation.isPending}>
              {t('confirmNewEmail.submit')}
            </Button>
          </Stack>
        </form>
      )}
    </AuthLayout>
  );
}
