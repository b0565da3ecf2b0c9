import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { apiKeyRename, apiKeyRevoke, apiKeyRotate } from '../../client/sdk.gen';
import type { ApiKeyDto } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { ConfirmDialog } from '../../shared/confirm-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { SecretShownOnce } from './secret-shown-once';

const REFRESHES = ['apiKeyList'] as const;

/** For how many hours the secret before may stay good beside the new one. */
const FORMER_HOURS = [0, 1, 24, 168] as const;

interface KeyDialog {
  projectId: string;
  apiKey: ApiKeyDto;
  onClose: () => void;
}

/** Gives a key another name. */
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
    <Dialog
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
    </Dialog>
  );
}

/** Gives a key another secret, which is shown this once; the one before may stay good for a while. */
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
    <Dialog
      title={t('apiKeys.actionFor.rotate', { name: apiKey.name })}
      // Once it is done, the key is read and the dialog is closed.
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
    </Dialog>
  );
}

/** Ends a key for good. */
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

function Dialog(props: {
  title: string;
  /** null: there is nothing left to do but to close it. */
  confirmLabel: string | null;
  pending: boolean;
  error: unknown;
  onClose: () => void;
  onSubmit: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          props.onSubmit();
        }}
      >
        <Stack gap="sm">
          {props.children}
          <ProblemAlert error={props.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {props.confirmLabel === null ? t('shared.close') : t('shared.cancel')}
            </Button>
            {props.confirmLabel !== null && (
              <Button type="submit" loading={props.pending}>
                {props.confirmLabel}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
