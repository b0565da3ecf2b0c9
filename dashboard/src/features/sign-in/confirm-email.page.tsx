import { Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { accountConfirmEmail } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { AuthLayout } from '../../shared/auth-layout';
import { ExpiredLinkMessage } from './expired-link-message';
import { useCompleteSignIn } from './use-complete-sign-in';

const route = getRouteApi('/confirm-email');

/** Where the link of a sign-up's mail leads: the password that was chosen there proves whose sign-up it is. */
export function ConfirmEmailPage() {
  const { token = '' } = route.useSearch();
  const form = useForm({ initialValues: { password: '' } });
  const { password } = form.values;
  const enter = useCompleteSignIn(undefined);
  const mutation = useApiMutation({
    form,
    request: async () => (await accountConfirmEmail({ body: { token, password } })).data,
    onSuccess: () => void enter(),
  });
  return (
    <AuthLayout title={t('confirmEmail.title')}>
      <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
        <Stack gap="sm">
          <Text>{t('confirmEmail.text')}</Text>
          <PasswordField label={t('signIn.password')} autoFocus {...form.getInputProps('password')} />
          <ExpiredLinkMessage shown={mutation.fieldErrors['token']} />
          <ProblemAlert error={mutation.error} />
          <Button type="submit" size="sm" loading={mutation.isPending}>
            {t('confirmEmail.submit')}
          </Button>
        </Stack>
      </form>
      <Text>
        {t('confirmEmail.expired')} <AnchorLink to="/sign-up">{t('signUp.title')}</AnchorLink>
      </Text>
    </AuthLayout>
  );
}
