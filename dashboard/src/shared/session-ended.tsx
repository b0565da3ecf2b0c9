import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { t } from '../texts/texts';

/**
 * Nothing can be saved by somebody whose session has ended, and nothing is lost before she is back: asks whether to sign
 * in beside what is not saved, or to leave it.
 */
export function SessionEnded({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Modal
      opened
      onClose={onStay}
      title={t.problems.authentication_required}
      closeButtonProps={{ 'aria-label': t.shared.close }}
    >
      <Stack gap="sm">
        <Text>{t.shared.sessionEnded}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onLeave}>
            {t.shared.leaveAndLose}
          </Button>
          <Button component="a" href="/sign-in" target="_blank" onClick={onStay}>
            {t.shared.signInBeside}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
