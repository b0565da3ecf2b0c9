import { Button, Checkbox, Group, NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { apiKeyCreate } from '../../client/sdk.gen';
import type { ApiKeyDto } from '../../client/types.gen';
import type { Role } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { dayStart, dayText } from '../../shared/time';
import { useApiMutation } from '../../shared/use-api-mutation';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { SecretShownOnce } from './secret-shown-once';

type Area = NonNullable<ApiKeyDto['limitedTo']>[number];
const AREAS: Area[] = ['read', 'consents', 'forwarding', 'publishing', 'billing'];

/** Makes a key, which is shown this once: its role, what it is limited to, and when it ends. */
export function CreateKeyForm({ projectId }: { projectId: string }) {
  const { zone, now } = useZone();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [manages, setManages] = useState(false);
  const [areas, setAreas] = useState<Area[]>([]);
  const [lastDay, setLastDay] = useState('');
  const isManager = role === 'owner' && manages;
  // One that manages who may do what is not limited to a part.
  const limits = isManager ? [] : areas;
  const mutation = useApiMutation({
    request: async () => {
      // To the end of the day that was chosen.
      const expiresAt = dayStart(lastDay, zone, 1);
      const body = {
        ...{ name: name.trim(), role },
        ...(isManager && { scopes: ['manage_access' as const] }),
        ...(limits.length > 0 && { limitedTo: limits }),
        ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      };
      return (await apiKeyCreate({ path: { projectId }, body })).data;
    },
    invalidates: ['apiKeyList'],
    onSuccess: () => setName(''),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutation.mutate(undefined);
      }}
    >
      <Stack gap="sm">
        <Group align="flex-start" gap="sm">
          <TextInput
            label={t('apiKeys.name')}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={mutation.fieldErrors['name']}
          />
          <NativeSelect
            label={t('members.role')}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
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
            value={lastDay}
            onChange={(event) => setLastDay(event.currentTarget.value)}
            error={mutation.fieldErrors['expiresAt']}
          />
        </Group>
        <Checkbox.Group
          label={t('apiKeys.limit')}
          description={t('apiKeys.limitHint')}
          value={limits}
          disabled={isManager}
          onChange={(chosen) => setAreas(AREAS.filter((area) => chosen.includes(area)))}
          error={mutation.fieldErrors['limitedTo']}
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
            checked={manages}
            onChange={(event) => setManages(event.currentTarget.checked)}
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
