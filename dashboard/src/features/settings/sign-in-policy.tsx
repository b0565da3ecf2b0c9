import { Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../api/query-client';
import { signInPolicyReadOptions } from '../../client/@tanstack/react-query.gen';
import { signInPolicySave } from '../../client/sdk.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Whether people need a second factor to enter the project. */
export function SignInPolicy({ projectId }: { projectId: string }) {
  const path = { projectId };
  const query = useQuery(signInPolicyReadOptions({ path }));
  const mutation = useApiMutation({
    request: async (secondFactorRequired: boolean) =>
      (await signInPolicySave({ path, body: { secondFactorRequired } })).data,
    successMessage: t('shared.saved'),
    onSuccess: (saved) => queryClient.setQueryData(signInPolicyReadOptions({ path }).queryKey, saved),
  });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={1} />;
  return (
    <Stack gap="sm">
      <Switch
        label={t('members.requireSecondFactor')}
        checked={mutation.variables ?? query.data.secondFactorRequired}
        onChange={(event) => mutation.mutate(event.currentTarget.checked)}
      />
      <Text c="dimmed">
        {t('members.requireSecondFactorText')}{' '}
        <AnchorLink to="/account">{t('members.setUpOwnSecondFactor')}</AnchorLink>
      </Text>
      <ProblemAlert error={mutation.error} />
    </Stack>
  );
}
