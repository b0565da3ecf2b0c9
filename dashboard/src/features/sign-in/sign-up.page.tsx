import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi } from '@tanstack/react-router';
import { accountSignUp } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { CheckInbox } from './check-inbox';
import { AuthLayout } from '../../shared/auth-layout';

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const { to } = route.useSearch();
  const form = useForm({ initialValues: { name: '', email: '', password: '' } });
  const { name, email, password } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () =>
      (await accountSignUp({ body: { email, password, ...(name.trim() && { name: name.trim() }) } })).data,
  });
  return (
    <AuthLayout title={t('signUp.title')}>
      {mutation.data ? (
        <CheckInbox email={email} text={t('signUp.checkMailText')} command="account create" />
      ) : (
        <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
          <Stack gap="sm">
            <TextInput
              label={t('signUp.name')}
              description={t('signUp.nameHint')}
              name="name"
              autoComplete="name"
              autoFocus
              {...form.getInputProps('name')}
            />
            <TextInput
              label={t('signIn.email')}
              type="email"
              name="email"
              autoComplete="username"
              required
              {...form.getInputProps('email')}
            />
            <PasswordField label={t('signIn.password')} chosen {...form.getInputProps('password')} />
            <ProblemAlert error={mutation.error} />
            <Button type="submit" size="sm" loading={mutation.isPending}>
              {t('signUp.submit')}
            </Button>
          </Stack>
        </form>
      )}
      <Text>
        {t('signUp.haveAccount')}{' '}
        <AnchorLink to="/sign-in" search={to === undefined ? {} : { to }}>
          {t('signIn.title')}
        </AnchorLink>
      </Text>
    </AuthLayout>
  );
}
