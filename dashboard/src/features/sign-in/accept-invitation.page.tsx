import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { ApiProblem } from '../../api/problem';
import { queryClient } from '../../api/query-client';
import { authSessionOptions } from '../../client/@tanstack/react-query.gen';
import { accountAcceptInvitation, accountInvitation, authSignIn } from '../../client/sdk.gen';
import type { ShownInvitationResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { pageOfJoined } from '../../shared/page-of-joined';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';
import { AuthLayout } from '../../shared/auth-layout';
import { rolesText } from '../organizations/roles-text';
import { ExpiredLinkMessage } from './expired-link-message';

const route = getRouteApi('/accept-invitation');

/** The page of an invitation link: people with an account sign in, others choose a password. */
export function AcceptInvitationPage() {
  const { token = '' } = route.useSearch();
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await accountInvitation({ body: { token } })).data,
    staleTime: Infinity,
  });
  const isNoLink = query.error instanceof ApiProblem && 'token' in query.error.fields;
  return (
    <AuthLayout title={t('invitation.title')}>
      {query.isPending && <SkeletonRows rows={3} />}
      {isNoLink ? <ExpiredLinkMessage shown /> : <ProblemAlert error={query.error} />}
      {query.data && <Invited token={token} invitation={query.data} />}
      {query.isError && <AnchorLink to="/sign-in">{t('signIn.title')}</AnchorLink>}
    </AuthLayout>
  );
}

function Invited({ token, invitation }: { token: string; invitation: ShownInvitationResponse }) {
  const { email, projectName, organizationName, accountExists } = invitation;
  const form = useForm({ initialValues: { password: '', name: '' } });
  const { password, name } = form.values;
  const { data: session } = useQuery(authSessionOptions());
  const signedIn = session?.user.email === email;
  const navigate = useNavigate();
  const mutation = useApiMutation({
    form,
    request: async () => {
      if (accountExists && !signedIn) {
        const { data } = await authSignIn({ body: { email, password } });
        // The second step is the sign-in page's, which leads back here.
        if ('secondFactorRequired' in data) return null;
      }
      const account = accountExists ? {} : { password, ...(name.trim() && { name: name.trim() }) };
      return (await accountAcceptInvitation({ body: { token, ...account } })).data;
    },
    onSuccess: async (accepted) => {
      if (!accepted) {
        await navigate({ to: '/sign-in', search: { to: `/accept-invitation?token=${token}` } });
        return;
      }
      queryClient.clear();
      await navigate(pageOfJoined(accepted));
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm">
        <Text>
          {t('invitation.text', {
            email,
            project: projectName ?? organizationName ?? '',
            role: rolesText(invitation),
          })}
        </Text>
        {!accountExists && (
          <TextInput
            label={t('signUp.name')}
            description={t('signUp.nameHint')}
            autoComplete="name"
            {...form.getInputProps('name')}
          />
        )}
        {!signedIn && (
          <>
            <UsernameField email={email} />
            <PasswordField
              label={t('signIn.password')}
              chosen={!accountExists}
              {...(accountExists && { description: t('invitation.yourPassword') })}
              {...form.getInputProps('password')}
            />
          </>
        )}
        <ProblemAlert error={mutation.error} />
        <Button type="submit" size="sm" loading={mutation.isPending}>
          {t('invitation.accept')}
        </Button>
      </Stack>
    </form>
  );
}
