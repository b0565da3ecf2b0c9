import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Operation } from '../../api/query-client';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Sends an invitation link, to people with and without an account. */
export function InviteForm(props: {
  invite: (email: string) => Promise<{ email: string }>;
  invalidates: readonly Operation[];
  /** The fields that choose the role. */
  children: ReactNode;
}) {
  const form = useForm({ initialValues: { email: '' } });
  const mutation = useApiMutation({
    form,
    request: () => props.invite(form.values.email),
    successMessage: ({ email }) => t('members.invited', { email }),
    invalidates: props.invalidates,
    onSuccess: () => form.setFieldValue('email', ''),
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput label={t('signIn.email')} type="email" required {...form.getInputProps('email')} />
          {props.children}
          <Button type="submit" size="sm" loading={mutation.isPending}>
            {t('members.invite')}
          </Button>
        </Group>
        <ProblemAlert error={mutation.error} />
      </Stack>
    </form>
  );
}
