import { NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { apiKeyRename, apiKeyRevoke, apiKeyRotate } from '../../client/sdk.gen';
import type { ApiKeyResponse } from '../../client/types.gen';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { SecretShownOnce } from './secret-shown-once';
import { FormDialog } from '../../shared/form-dialog';

const REFRESHES = ['apiKeyList'] as const;

/** Hours that the previous secret can stay valid after a rotation. */
const FORMER_HOURS = [0, 1, 24, 168] as const;

interface KeyDialog {
  projectId: string;
  apiKey: ApiKeyResponse;
  onClose: () => void;
}

/** Renames a key. */
export function RenameKeyDialog({ projectId, apiKey, onClose }: KeyDialog) {
  const [name, setName] = useState(apiKey.name);
  const mutation = useApiMutation({
    request: async () =>
      (await apiKeyRename({ path: { projectId, apiKeyId: apiKey.id }, body: { name: name.trim() } })).data,
    successMessage: t('shared.saved'),
    invalidates: REFRESHES,
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={t('apiKeys.actionFor.rename', { name: apiKey.name })}
      confirmLabel={t('apiKeys.actions.rename')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate(undefined)}
    >
      <TextInput
        label={t('apiKeys.name')}
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={mutation.fieldErrors['name']}
      />
    </FormDialog>
  );
}

/** Replaces the secret and shows the new one once. The previous one can stay valid for a while. */
export function RotateKeyDialog({ projectId, apiKey, onClose }: KeyDialog) {
  const [hours, setHours] = useState<number>(FORMER_HOURS[2]);
  const mutation = useApiMutation({
    request: async () =>
      (await apiKeyRotate({ path: { projectId, apiKeyId: apiKey.id }, body: { formerValidHours: hours } }))
        .data,
    invalidates: REFRESHES,
  });
  const { data: result } = mutation;
  return (
    <FormDialog
      title={t('apiKeys.actionFor.rotate', { name: apiKey.name })}
      // After the rotation, the dialog can only be closed.
      confirmLabel={result ? null : t('apiKeys.actions.rotate')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate(undefined)}
    >
      {result ? (
        <>
          <SecretShownOnce name={result.name} apiKey={result.key} />
          {result.formerValidUntil && (
            <Text>
              {t('apiKeys.oldSecretUntil')} <AbsoluteTime at={result.formerValidUntil} />.
            </Text>
          )}
        </>
      ) : (
        <>
          <Text>{t('apiKeys.rotateText')}</Text>
          <NativeSelect
            label={t('apiKeys.oldSecretExpires')}
            data-autofocus
            value={String(hours)}
            onChange={(event) => setHours(Number(event.currentTarget.value))}
            data={FORMER_HOURS.map((each) => ({
              value: String(each),
              label: t(`apiKeys.oldSecretHours.${each}`),
            }))}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Revokes a key permanently. */
export function RevokeKeyDialog({ projectId, apiKey, onClose }: KeyDialog) {
  const mutation = useApiMutation({
    request: async () => (await apiKeyRevoke({ path: { projectId, apiKeyId: apiKey.id } })).data,
    successMessage: t('apiKeys.revoked', { name: apiKey.name }),
    invalidates: REFRESHES,
    onSuccess: onClose,
  });
  return (
    <ConfirmDialog
      title={t('apiKeys.actionFor.revoke', { name: apiKey.name })}
      confirmLabel={t('apiKeys.actions.revoke')}
      isPending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onConfirm={() => mutation.mutate(undefined)}
    >
      <Text>{t('apiKeys.revokeText')}</Text>
    </ConfirmDialog>
  );
}
