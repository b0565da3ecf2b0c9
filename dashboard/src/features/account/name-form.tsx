import { Button, Group, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { meRename } from '../../client/sdk.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

export function NameForm({ name: saved }: { name: string }) {
  const form = useForm({ initialValues: { name: saved } });
  const { name } = form.values;
  const mutation = useApiMutation({
    form,
    request: async () => (await meRename({ body: { name } })).data,
    successMessage: t('account.saved'),
    invalidates: ['meMe', 'authSession', 'memberList'],
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Group align="end" gap="sm">
        <TextInput
          label={t('signUp.name')}
          description={t('signUp.nameHint')}
          autoComplete="name"
          required
          w={420}
          maw="100%"
          {...form.getInputProps('name')}
        />
        <Button
          type="submit"
          size="sm"
          variant="default"
          disabled={name.trim() === saved}
          loading={mutation.isPending}
        >
          {t('account.save')}
        </Button>
      </Group>
      <ProblemAlert error={mutation.error} />
    </form>
  );
}
