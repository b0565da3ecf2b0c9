import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { SessionExpiredDialog } from '../../shared/session-expired-dialog';
import { t } from '../../i18n/i18n';

/**
 * Warns before unsaved changes are lost: inside the dashboard by our dialog, else by the browser's.
 */
export function LeaveDialog({ dirty, onSave }: { dirty: boolean; onSave: (then: () => void) => void }) {
  const blocker = useBlocker({
    // The page's own parts are in the address too.
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  if (blocker.status !== 'blocked') return null;
  if (blocker.next.pathname === '/sign-in')
    return <SessionExpiredDialog onStay={blocker.reset} onLeave={blocker.proceed} />;
  return (
    <Modal
      opened
      onClose={blocker.reset}
      title={t('banner.leaving')}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      <Stack gap="sm">
        <Text>{t('banner.leavingText')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={blocker.reset}>
            {t('banner.stay')}
          </Button>
          <Button variant="default" onClick={blocker.proceed}>
            {t('shared.discardChanges')}
          </Button>
          <Button onClick={() => onSave(blocker.proceed)}>{t('banner.saveAndLeave')}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
