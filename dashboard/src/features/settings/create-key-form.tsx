import { Button, Checkbox, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { apiKeyCreate } from '../../client/sdk.gen';
import type { ApiKeyResponse } from '../../client/types.gen';
import type { Role } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { dayStart, dayText } from '../../shared/time';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { SecretShownOnce } from './secret-shown-once';

type Area = NonNullable<ApiKeyResponse['limitedTo']>[number];
const AREAS: Area[] = ['read', 'consents', 'imports', 'forwarding', 'events', 'publishing', 'billing'];

/** Creates a key, which is shown only once: its role, areas and expiry. */
export function CreateKeyForm({ projectId }: { projectId: string }) {
  const { zone, now } = useZone();
  const form = useForm({
    initialValues: {
      name: '',
      role: 'viewer' as Role,
      managesAccess: false,
      limitedTo: [] as Area[],
      expiresAt: '',
    },
  });
  const { name, role, managesAccess: manages, limitedTo: areas, expiresAt: lastDay } = form.values;
  const isManager = role === 'owner' && manages;
  // A key that manages members and keys cannot be limited to areas.
  const limits = isManager ? [] : areas;
  const mutation = useApiMutation({
    form,
    request: async () => {
      // To the end of the day that was chosen.
      const expiresAt = dayStart(lastDay, zone, 1);
      const body = {
        name: name.trim(),
        role,
        ...(isManager && { scopes: ['manage_access' as const] }),
        ...(limits.length > 0 && { limitedTo: limits }),
        ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      };
      return (await apiKeyCreate({ path: { projectId }, body })).data;
    },
    invalidates: ['apiKeyList'],
    onSuccess: () => form.setFieldValue('name', ''),
  });
  return (
    <form onSubmit={form.onSubmit(() => mutation.mutate(undefined))}>
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <TextInput label={t('apiKeys.name')} required {...form.getInputProps('name')} />
          <NativeSelect
            label={t('members.role')}
            {...form.getInputProps('role')}
            data={(['viewer', 'editor', 'owner'] as const).map((value) => ({
              value,
              label: t(`roles.${value}`),
            }))}
          />
          <TextInput
            type="date"
            label={t('apiKeys.expiresAfter')}
            description={t('apiKeys.expiresAfterHint')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={dayText(now, zone)}
            {...form.getInputProps('expiresAt')}
          />
        </Group>
        <Checkbox.Group
          label={t('apiKeys.limit')}
          description={t('apiKeys.limitHint')}
          value={limits}
          disabled={isManager}
          onChange={(chosen) =>
            form.setFieldValue(
              'limitedTo',
              AREAS.filter((area) => chosen.includes(area)),
            )
          }
          error={form.errors['limitedTo']}
        >
          <Group gap="md" mt={8}>
            {AREAS.map((area) => (
              <Checkbox key={area} value={area} label={t(`apiKeys.areas.${area}`)} />
            ))}
          </Group>
        </Checkbox.Group>
        {role === 'owner' && (
          <Switch
            label={t('apiKeys.scopes.manage_access')}
            {...form.getInputProps('managesAccess', { type: 'checkbox' })}
          />
        )}
        <ProblemAlert error={mutation.error} />
        <div>
          <Button type="submit" loading={mutation.isPending}>
            {t('apiKeys.createNow')}
          </Button>
        </div>
        {mutation.data && <SecretShownOnce name={mutation.data.name} apiKey={mutation.data.key} />}
      </Stack>
    </form>
  );
}
