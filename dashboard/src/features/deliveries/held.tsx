import { Button, Group } from '@mantine/core';
import { forwardingResume } from '../../client/sdk.gen';
import type { ForwardingSettingsDto } from '../../client/types.gen';
import { roleCovers } from '../../shared/allowed';
import { useAct } from '../../shared/use-act';
import { Instant, Until } from '../../shared/when';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';

/** Since when records wait for a receiver that is away, how many, when the next try is, and trying now. */
export function Held({ settings }: { settings: ForwardingSettingsDto }) {
  const project = useProject();
  const act = useAct({
    run: async () => (await forwardingResume({ path: { projectId: project.id } })).data,
    done: t('health.trying'),
    refreshes: ['forwardingRead', 'deliveryList'],
    tellsFailure: true,
  });
  const allowed = roleCovers(project.role, 'editor');
  return (
    <Group gap="sm">
      <span>
        {t('health.held')} {settings.heldSince && <Instant at={settings.heldSince} />}.{' '}
        {t('health.heldQueued', { count: settings.waiting })} {t('health.nextAttempt')}{' '}
        {settings.nextProbeAt && <Until at={settings.nextProbeAt} />}.
      </span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={!allowed}
        loading={act.pending}
        onClick={() => act.run(undefined)}
      >
        {t('health.tryNow')}
      </Button>
      {!allowed && <span>{t('shared.needsRole', { role: t('roles.editor') })}</span>}
    </Group>
  );
}
