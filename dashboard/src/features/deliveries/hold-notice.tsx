import { Button, Group } from '@mantine/core';
import { forwardingResume } from '../../client/sdk.gen';
import type { ForwardingSettingsResponse } from '../../client/types.gen';
import { roleCovers } from '../../shared/access';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime, Countdown } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';

/** Since when records wait for a receiver that is away, how many, when the next try is, and trying now. */
export function HoldNotice({ settings }: { settings: ForwardingSettingsResponse }) {
  const project = useProject();
  const mutation = useApiMutation({
    request: async () => (await forwardingResume({ path: { projectId: project.id } })).data,
    successMessage: t('health.trying'),
    invalidates: ['forwardingRead', 'deliveryList'],
    notifiesError: true,
  });
  const allowed = roleCovers(project.role, 'editor');
  return (
    <Group gap="sm">
      <span>
        {t('health.held')} {settings.heldSince && <AbsoluteTime at={settings.heldSince} />}.{' '}
        {t('health.heldQueued', { count: settings.waiting })} {t('health.nextAttempt')}{' '}
        {settings.nextProbeAt && <Countdown at={settings.nextProbeAt} />}.
      </span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={!allowed}
        loading={mutation.isPending}
        onClick={() => mutation.mutate(undefined)}
      >
        {t('health.tryNow')}
      </Button>
      {!allowed && <span>{t('shared.needsRole', { role: t('roles.editor') })}</span>}
    </Group>
  );
}
