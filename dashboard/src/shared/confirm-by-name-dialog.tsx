import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { t } from '../i18n/i18n';
import { showHidden } from '../i18n/show-hidden';
import { ProblemAlert } from './problem-alert';

/** Confirms a destructive action by typing a name. */
export function ConfirmByNameDialog(props: {
  opened: boolean;
  title: string;
  text: string;
  name: string;
  confirmLabel: string;
  isPending: boolean;
  error: unknown;
  /** Further warnings, above the name. */
  children?: ReactNode;
  onClose: () => void;
  onConfirm: () => void;
}) {
  const [typed, setTyped] = useState('');
  // The label shows hidden characters by their codes, which can be typed.
  const isConfirmed = showHidden(typed) === showHidden(props.name);
  return (
    <Modal
      opened={props.opened}
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed) props.onConfirm();
        }}
      >
        <Stack gap="sm">
          <Text>{props.text}</Text>
          {props.children}
          <TextInput
            label={t('shared.typeToConfirm', { name: props.name })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus={props.children === undefined || undefined}
          />
          <ProblemAlert error={props.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={props.onClose}>
              {t('shared.cancel')}
            </Button>
            <Button color="red" type="submit" disabled={!isConfirmed} loading={props.isPending}>
              {props.confirmLabel}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
