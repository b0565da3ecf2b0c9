import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { apiKeyRename, apiKeyRevoke, apiKeyRotate } from '../../client/sdk.gen';
import type { ApiKeyDto } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import { Question } from '../../shared/question';
import { useAct } from '../../shared/use-act';
import { Instant } from '../../shared/when';
import { t } from '../../i18n/i18n';
import { KeyOnce } from './key-once';

const REFRESHES = ['apiKeyList'] as const;

/** For how many hours the secret before may stay good beside the new one. */
const FORMER_HOURS = [0, 1, 24, 168] as const;

interface KeyDialog {
  projectId: string;
  apiKey: ApiKeyDto;
  onClose: () => void;
}

/** Gives a key another name. */
export function Renaming({ projectId, apiKey, onClose }: KeyDialog) {
  const [name, setName] = useState(apiKey.name);
  const act = useAct({
    run: async () =>
      (await apiKeyRename({ path: { projectId, apiKeyId: apiKey.id }, body: { name: name.trim() } })).data,
    done: t('shared.saved'),
    refreshes: REFRESHES,
    then: onClose,
  });
  return (
    <Dialog
      title={t('apiKeys.actionFor.rename', { name: apiKey.name })}
      act={t('apiKeys.actions.rename')}
      pending={act.pending}
      error={act.error}
      onClose={onClose}
      onSubmit={() => act.run(undefined)}
    >
      <TextInput
        label={t('apiKeys.name')}
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={act.fields['name']}
      />
    </Dialog>
  );
}

/** Gives a key another secret, which is shown this once; the one before may stay good for a while. */
export function Rotation({ projectId, apiKey, onClose }: KeyDialog) {
  const [hours, setHours] = useState<number>(FORMER_HOURS[2]);
  const act = useAct({
    run: async () =>
      (await apiKeyRotate({ path: { projectId, apiKeyId: apiKey.id }, body: { formerValidHours: hours } }))
        .data,
    refreshes: REFRESHES,
  });
  const { result } = act;
  return (
    <Dialog
      title={t('apiKeys.actionFor.rotate', { name: apiKey.name })}
      // Once it is done, the key is read and the dialog is closed.
      act={result ? null : t('apiKeys.actions.rotate')}
      pending={act.pending}
      error={act.error}
      onClose={onClose}
      onSubmit={() => act.run(undefined)}
    >
      {result ? (
        <>
          <KeyOnce name={result.name} apiKey={result.key} />
          {result.formerValidUntil && (
            <Text>
              {t('apiKeys.oldSecretUntil')} <Instant at={result.formerValidUntil} />.
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
export function Revocation({ projectId, apiKey, onClose }: KeyDialog) {
  const act = useAct({
    run: async () => (await apiKeyRevoke({ path: { projectId, apiKeyId: apiKey.id } })).data,
    done: t('apiKeys.revoked', { name: apiKey.name }),
    refreshes: REFRESHES,
    then: onClose,
  });
  return (
    <Question
      title={t('apiKeys.actionFor.revoke', { name: apiKey.name })}
      act={t('apiKeys.actions.revoke')}
      pending={act.pending}
      error={act.error}
      onClose={onClose}
      onConfirm={() => act.run(undefined)}
    >
      <Text>{t('apiKeys.revokeText')}</Text>
    </Question>
  );
}

function Dialog(props: {
  title: string;
  /** null: there is nothing left to do but to close it. */
  act: string | null;
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
              {props.act === null ? t('shared.close') : t('shared.cancel')}
            </Button>
            {props.act !== null && (
              <Button type="submit" loading={props.pending}>
                {props.act}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
