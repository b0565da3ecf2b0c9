import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/i18n';
import { ProblemAlert } from './problem-alert';

/** Confirms a destructive action. */
export function ConfirmDialog(props: {
  title: string;
  confirmLabel: string;
  isPending: boolean;
  error: unknown;
  onClose: () => void;
  onConfirm: () => void;
  children: ReactNode;
}) {
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <Stack gap="sm">
        {props.children}
        <ProblemAlert error={props.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {t('shared.cancel')}
          </Button>
          <Button color="red" loading={props.isPending} onClick={props.onConfirm}>
            {props.confirmLabel}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
