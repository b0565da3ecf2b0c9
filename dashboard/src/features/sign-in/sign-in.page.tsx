import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { authSignIn } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { AuthLayout } from '../../shared/auth-layout';
import { useCompleteSignIn } from './use-complete-sign-in';
import { TwoFactorStep } from './two-factor-step';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const { to, demoLink } = route.useSearch();
  const form = useForm({ initialValues: { email: '', password: '' } });
  const { email, password } = form.values;
  const enter = useCompleteSignIn(to);
  const mutation = useApiMutation({
    form,
    request: async () => (await authSignIn({ body: { email, password } })).data,
    onSuccess: (answer) => {
      if (!('secondFactorRequired' in answer)) void enter();
    },
  });
  if (mutation.data && 'secondFactorRequired' in mutation.data) {
    return (
      <AuthLayout title={t('signIn.title')}>
        <TwoFactorStep then={() => void enter()} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout title={t('signIn.title')}>
      {demoLink && (
        <Alert variant="outline" color="yellow" role="status">
          {t(`signIn.demoLink.${demoLink}`)}
        </Alert>
      )}
      <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
        <Stack gap="sm">
          <TextInput
            label={t('signIn.email')}
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordField label={t('signIn.password')} {...form.getInputProps('password')} />
          <ProblemAlert error={mutation.error} />
          <Button type="submit" size="sm" loading={mutation.isPending}>
            {t('signIn.submit')}
          </Button>
        </Stack>
      </form>
      <AnchorLink to="/forgotten-password">{t('forgotPassword.title')}</AnchorLink>
      <Text>
        {t('signIn.noAccount')}{' '}
        <AnchorLink to="/sign-up" search={to === undefined ? {} : { to }}>
          {t('signUp.title')}
        </AnchorLink>
      </Text>
    </AuthLayout>
  );
}
