import { Button, Group, Text } from '@mantine/core';
import { scanDraftCreate } from '../../client/sdk.gen';
import type { ProjectResponse, ScanResponse } from '../../client/types.gen';
import { checkAccess } from '../../shared/access';
import { AnchorLink } from '../../shared/anchor-link';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';

/** Adds the scan's items to the banner's draft, and reports the additions. */
export function DraftButton({ project, scan }: { project: ProjectResponse; scan: ScanResponse }) {
  const path = { projectId: project.id, scanId: scan.id };
  const mutation = useApiMutation({
    request: async () => (await scanDraftCreate({ path })).data,
    invalidates: ['draftRead'],
    notifiesError: true,
  });
  const hasResult = scan.status === 'completed' || scan.status === 'partial';
  if (!hasResult || checkAccess(project, { role: 'editor' })) return null;
  const added = mutation.data;
  return (
    <Group gap="sm">
      <Button variant="default" loading={mutation.isPending} onClick={() => mutation.mutate(undefined)}>
        {t('scans.draft.add')}
      </Button>
      {added && (
        <Text c="dimmed" role="status">
          {t('scans.draft.added', { services: added.addedServices, cookies: added.addedCookies })}{' '}
          {added.unclassified > 0 && `${t('scans.draft.unclassified', { count: added.unclassified })} `}
          {added.leftOut > 0 && `${t('scans.draft.leftOut', { count: added.leftOut })} `}
          <AnchorLink
            to="/projects/$projectId/banner"
            params={{ projectId: project.id }}
            search={{ part: 'offer' }}
          >
            {t('scans.draft.open')}
          </AnchorLink>
        </Text>
      )}
    </Group>
  );
}
