import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { authChangePassword } from '../../client/sdk.gen';
import { PasswordField } from '../../shared/password-field';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { UsernameField } from '../../shared/username-field';
import { t } from '../../i18n/i18n';

export function PasswordForm({ email }: { email: string }) {
  const form = useForm({ initialValues: { currentPassword: '', newPassword: '' } });
  const { currentPassword, newPassword } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () => (await authChangePassword({ body: { currentPassword, newPassword } })).data,
    successMessage: t('account.passwordChanged'),
    invalidates: ['sessionList'],
    onSuccess: () => {
      form.setFieldValue('currentPassword', '');
      form.setFieldValue('newPassword', '');
    },
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm" maw={420}>
        <UsernameField email={email} />
        <PasswordField label={t('account.currentPassword')} {...form.getInputProps('currentPassword')} />
        <PasswordField label={t('account.newPassword')} chosen {...form.getInputProps('newPassword')} />
        <ProblemAlert error={mutation.error} />
        <div>
          <Button type="submit" loading={mutation.isPending}>
            {t('account.changePassword')}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
