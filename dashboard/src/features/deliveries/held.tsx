import { Button, Group } from '@mantine/core';
import { forwardingResume } from '../../client/sdk.gen';
import type { ForwardingSettingsDto } from '../../client/types.gen';
import { roleCovers } from '../../shared/allowed';
import { number } from '../../shared/format';
import { useAct } from '../../shared/use-act';
import { Instant, Until } from '../../shared/when';
import { t } from '../../texts/texts';
import { useProject } from '../projects/use-project';

/** Since when records wait for a receiver that is away, how many, when the next try is, and trying now. */
export function Held({ settings }: { settings: ForwardingSettingsDto }) {
  const project = useProject();
  const act = useAct({
    run: async () => (await forwardingResume({ path: { projectId: project.id } })).data,
    done: t.health.tried,
    refreshes: ['forwardingRead', 'deliveryList'],
    tellsFailure: true,
  });
  const allowed = roleCovers(project.role, 'editor');
  return (
    <Group gap="sm">
      <span>
        {t.health.held} {settings.heldSince && <Instant at={settings.heldSince} />}.{' '}
        {t.health.heldWaiting(number(settings.waiting))} {t.health.nextProbe}{' '}
        {settings.nextProbeAt && <Until at={settings.nextProbeAt} />}.
      </span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={!allowed}
        loading={act.pending}
        onClick={() => act.run(undefined)}
      >
        {t.health.tryNow}
      </Button>
      {!allowed && <span>{t.shared.needsRole(t.roles.editor)}</span>}
    </Group>
  );
}
