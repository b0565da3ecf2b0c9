import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ProblemAlert } from './problem-alert';
import { t } from '../i18n/i18n';

export function FormDialog(props: {
  title: string;
  size?: number;
  /** null: nothing to submit, only a close button. */
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
      {...(props.size !== undefined && { size: props.size })}
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
