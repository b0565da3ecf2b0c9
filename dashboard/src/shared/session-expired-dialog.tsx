import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { t } from '../i18n/i18n';

/**
 * After the session expires nothing can be saved, and unsaved input must survive signing in again: asks whether to sign
 * in and keep the input, or to discard it.
 */
export function SessionExpiredDialog({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  return (
    <Modal
      opened
      onClose={onStay}
      title={t('problems.authentication_required')}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <Stack gap="sm">
        <Text>{t('shared.sessionEnded')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onLeave}>
            {t('shared.discardChanges')}
          </Button>
          <Button component="a" href="/sign-in" target="_blank" onClick={onStay}>
            {t('shared.signInInNewTab')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
